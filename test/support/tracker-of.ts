import { type Client } from './client.js';

export interface KnownTracker {
  readonly id: number;
  readonly project: number;
  /** By name. */
  readonly fields: ReadonlyMap<string, number>;
}

/** A tracker of the platform's first project, as alice sees it over HTTP. */
export async function trackerOf(service: Client, itemName: string): Promise<KnownTracker> {
  const [project] = (await service.get('/projects', { as: 'alice' })).body as { id: number }[];
  const trackers = (await service.get(`/projects/${project!.id}/trackers`, { as: 'alice' })).body as {
    id: number;
    item_name: string;
    fields: { name: string; field_id: number }[];
  }[];
  const { id, fields } = trackers.find(({ item_name: name }) => name === itemName)!;
  return { id, project: project!.id, fields: new Map(fields.map((field) => [field.name, field.field_id])) };
}
