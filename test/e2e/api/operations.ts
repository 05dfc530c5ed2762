/** What specs look at in the description of the API. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

interface Content {
  readonly 'application/json'?: { readonly schema: object };
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly headers?: object; readonly content?: Content }>
  >;
}

export interface Description {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, Operation>> & { readonly servers?: readonly object[] }>
  >;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: {
    readonly securitySchemes: object;
    readonly schemas: object;
    readonly responses: Readonly<Record<string, object>>;
  };
}

/** The ids of all operations. Clients make names of them: one that goes, or gets another name, breaks its clients. */
export const OPERATIONS = [
  'getIndex',
  'postAccessKeys',
  'getAccessKeysId',
  'deleteAccessKeysId',
  'getArtifactFilesId',
  'postArtifactTemporaryFiles',
  'getArtifactTemporaryFiles',
  'putArtifactTemporaryFilesId',
  'getArtifactTemporaryFilesId',
  'deleteArtifactTemporaryFilesId',
  'postArtifacts',
  'getArtifacts',
  'putArtifactsId',
  'getArtifactsId',
  'deleteArtifactsId',
  'getArtifactsIdChangesets',
  'getArtifactsIdHistory',
  'getArtifactsIdLinkedArtifacts',
  'getArtifactsIdLinks',
  'getOpenapiJson',
  'getProjects',
  'getProjectsId',
  'getProjectsIdSvn',
  'getProjectsIdTrackers',
  'getProjectsIdUserGroups',
  'postSvn',
  'getSvnId',
  'putSvnId',
  'deleteSvnId',
  'postTokens',
  'deleteTokens',
  'deleteTokensToken',
  'postTrackerFieldsIdFiles',
  'getTrackerFieldsIdValues',
  'getTrackerReportsId',
  'getTrackerReportsIdArtifacts',
  'getTrackersId',
  'getTrackersIdArtifacts',
  'getTrackersIdParentArtifacts',
  'getTrackersIdTrackerReports',
  'getTrackersIdUsedArtifactLinks',
  'getUserGroupsId',
  'getUserGroupsIdUsers',
  'putUserGroupsIdUsers',
  'getUsers',
  'getUsersId',
  'getUsersIdAccessKeys',
  'getHealthLive',
  'getHealthReady',
  'getPluginsTrackerAttachmentsFile',
  'headUploadsTrackerFileId',
  'patchUploadsTrackerFileId',
  'deleteUploadsTrackerFileId',
];
