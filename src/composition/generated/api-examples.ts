/** Made by `npm run examples`. */
import { type ApiExamples } from '../../http/openapi/examples.js';

const tracker1 = {
 "id": 101,
 "uri": "trackers/101",
 "label": "Bugs",
 "color_name": "fiesta-red",
 "project": {
  "id": 101,
  "uri": "projects/101",
  "label": "Hydra",
  "icon": ""
 },
 "cannot_create_reasons": null
};

const submitted_by_user2 = {
 "id": 103,
 "uri": "users/103",
 "user_url": "/users/carol",
 "real_name": "Carol Lindqvist",
 "display_name": "Carol Lindqvist (carol)",
 "username": "carol",
 "ldap_id": "",
 "avatar_url": "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
 "is_anonymous": false,
 "has_avatar": false
};

const last_update_by_user3 = {
 "id": 102,
 "uri": "users/102",
 "user_url": "/users/bob",
 "real_name": "Bob Keller",
 "display_name": "Bob Keller (bob)",
 "username": "bob",
 "ldap_id": "",
 "avatar_url": "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
 "is_anonymous": false,
 "has_avatar": false
};

const assignees4 = [
 submitted_by_user2
];

const answers5 = {
 "body": {
  "error": {
   "code": 408,
   "message": "Request Timeout"
  }
 },
 "headers": {}
};

const body6 = [
 {
  "id": 103,
  "uri": "users/103",
  "user_url": "/users/carol",
  "real_name": "Carol Lindqvist",
  "display_name": "Carol Lindqvist (carol)",
  "username": "carol",
  "ldap_id": "",
  "avatar_url": "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
  "is_anonymous": false,
  "has_avatar": false,
  "email": "carol@example.org",
  "status": "A"
 }
];

const headers7 = {
 "allow": "OPTIONS, GET",
 "x-pagination-limit": "10",
 "x-pagination-limit-max": "50",
 "x-pagination-offset": "0",
 "x-pagination-size": "1",
 "x-request-id": "example-1"
};

const body8 = {
 "id": 101,
 "creation_date": "2026-11-24T08:00:00+00:00",
 "expiration_date": null,
 "description": "Nightly report",
 "last_used_on": null,
 "last_used_by": null,
 "scopes": [
  {
   "key": "write:rest",
   "name": "REST API",
   "description": "All that its user may read and write"
  }
 ]
};

const body9 = {
 "id": 101,
 "uri": "projects/101",
 "label": "Hydra",
 "label_without_icon": "Hydra",
 "shortname": "hydra",
 "status": "active",
 "access": "public",
 "is_template": false,
 "resources": [
  {
   "type": "trackers",
   "uri": "projects/101/trackers"
  },
  {
   "type": "svn",
   "uri": "projects/101/svn"
  },
  {
   "type": "user_groups",
   "uri": "projects/101/user_groups"
  }
 ],
 "additional_informations": [],
 "is_member_of": false,
 "description": "Pumps, valves and the software that drives them",
 "additional_fields": [],
 "icon": ""
};

const project10 = {
 "id": 101,
 "uri": "projects/101",
 "label": "Hydra",
 "label_without_icon": "Hydra",
 "shortname": "hydra",
 "status": "active",
 "access": "public",
 "is_template": false
};

const values12 = {
 "field_id": 103,
 "type": "text",
 "label": "Description",
 "value": "The log has nothing about it. Until then a restart by hand helps.",
 "post_processed_value": "The log has nothing about it. Until then a restart by hand helps.",
 "format": "text"
};

const values13 = {
 "field_id": 106,
 "type": "rb",
 "label": "Severity",
 "values": [
  {
   "id": 106,
   "label": "Major",
   "color": null,
   "tlp_color": null,
   "is_hidden": false
  }
 ],
 "bind_value_ids": [
  106
 ]
};

const values14 = {
 "field_id": 111,
 "type": "tbl",
 "label": "Keywords",
 "bind_value_objects": [
  {
   "id": 113,
   "label": "display",
   "color": null,
   "tlp_color": null,
   "is_hidden": false
  }
 ],
 "bind_value_ids": [
  "display"
 ],
 "bind_type": "static"
};

const values15 = {
 "field_id": 123,
 "type": "subby",
 "label": "Submitted by",
 "value": submitted_by_user2
};

const values11 = [
 {
  "field_id": 102,
  "type": "string",
  "label": "Title",
  "value": "The alarm is slow to start"
 },
 values12,
 {
  "field_id": 105,
  "type": "sb",
  "label": "Status",
  "values": [
   {
    "id": 104,
    "label": "Closed",
    "color": null,
    "tlp_color": "inca-silver",
    "is_hidden": false
   }
  ],
  "bind_value_ids": [
   104
  ]
 },
 values13,
 {
  "field_id": 107,
  "type": "msb",
  "label": "Assigned to",
  "values": assignees4,
  "bind_value_ids": [
   103
  ]
 },
 {
  "field_id": 109,
  "type": "sb",
  "label": "Team",
  "values": [],
  "bind_value_ids": []
 },
 {
  "field_id": 110,
  "type": "cb",
  "label": "Platforms",
  "values": [
   {
    "id": 110,
    "label": "Controller",
    "color": null,
    "tlp_color": null,
    "is_hidden": false
   }
  ],
  "bind_value_ids": [
   110
  ]
 },
 values14,
 {
  "field_id": 114,
  "type": "int",
  "label": "Points",
  "value": 8
 },
 {
  "field_id": 115,
  "type": "date",
  "label": "Due",
  "value": "2026-03-19T00:00:00+00:00",
  "is_time_displayed": false
 },
 {
  "field_id": 117,
  "type": "art_link",
  "label": "Links",
  "links": [],
  "reverse_links": []
 },
 {
  "field_id": 120,
  "type": "aid",
  "label": "Artifact",
  "value": 161
 },
 {
  "field_id": 121,
  "type": "atid",
  "label": "Number",
  "value": 69
 },
 {
  "field_id": 122,
  "type": "subon",
  "label": "Submitted on",
  "value": "2026-08-13T08:00:00+00:00"
 },
 values15,
 {
  "field_id": 124,
  "type": "lud",
  "label": "Last update on",
  "value": "2026-08-14T08:00:00+00:00"
 },
 {
  "field_id": 125,
  "type": "luby",
  "label": "Last update by",
  "value": last_update_by_user3
 }
];

const body16 = {
 "id": 102,
 "uri": "tracker_reports/102",
 "label": "Open bugs",
 "is_public": true,
 "is_default": true,
 "resources": [
  {
   "type": "artifacts",
   "uri": "tracker_reports/102/artifacts"
  }
 ]
};

const collection17 = {
 "id": 161,
 "uri": "artifacts/161",
 "xref": "bug #161",
 "html_url": "/plugins/tracker/?aid=161",
 "tracker": tracker1,
 "project": {
  "id": 101,
  "uri": "projects/101",
  "label": "Hydra",
  "icon": ""
 },
 "submitted_by": 103,
 "submitted_by_user": submitted_by_user2,
 "submitted_on": "2026-08-13T08:00:00+00:00",
 "changesets_uri": "artifacts/161/changesets",
 "values": values11,
 "values_by_field": {
  "title": {
   "field_id": 102,
   "type": "string",
   "label": "Title",
   "value": "The alarm is slow to start"
  },
  "description": values12,
  "effort": null,
  "points": {
   "field_id": 114,
   "type": "int",
   "label": "Points",
   "value": 8
  },
  "id": {
   "field_id": 120,
   "type": "aid",
   "label": "Artifact",
   "value": 161
  },
  "number": {
   "field_id": 121,
   "type": "atid",
   "label": "Number",
   "value": 69
  }
 },
 "last_update_by": 102,
 "last_update_by_user": last_update_by_user3,
 "last_modified_date": "2026-08-14T08:00:00+00:00",
 "status": "Closed",
 "full_status": {
  "value": "Closed",
  "color": "inca-silver"
 },
 "is_open": false,
 "title": "The alarm is slow to start",
 "assignees": assignees4
};

const body18 = {
 "id": 101,
 "submitted_by": 102,
 "description": "What the pump logs",
 "name": "log.txt",
 "size": 11,
 "type": "text/plain",
 "html_url": null,
 "html_preview_url": null,
 "uri": "artifact_files/101"
};

const answers19 = {
 "body": {
  "error": {
   "code": 412,
   "message": "Precondition Failed: Unsupported Tus-Resumable; use 1.0.0"
  }
 },
 "headers": {
  "allow": "OPTIONS, HEAD, DELETE, PATCH",
  "tus-extension": "termination",
  "tus-resumable": "1.0.0",
  "tus-version": "1.0.0",
  "x-request-id": "example-1"
 }
};

const answers20 = {
 "headers": {
  "allow": "OPTIONS, HEAD, DELETE, PATCH",
  "tus-extension": "termination",
  "tus-resumable": "1.0.0",
  "tus-version": "1.0.0",
  "x-request-id": "example-1"
 }
};

const headers21 = {
 "accept-ranges": "bytes",
 "allow": "OPTIONS, GET",
 "content-disposition": "attachment; filename=\"log.txt\"; filename*=UTF-8''log.txt",
 "content-security-policy": "sandbox; default-src 'none'",
 "etag": "\"101-11\"",
 "x-request-id": "example-1"
};

const immutable_tags22 = {
 "paths": [
  "/tags"
 ],
 "whitelist": [
  "/tags/nightly"
 ]
};

const body23 = {
 "id": 101,
 "project": project10,
 "uri": "svn/101",
 "name": "pumps",
 "svn_url": "https://tracker.example.org/svnplugin/hydra/pumps"
};

const answers24 = {
 "body": {
  "status": "ok"
 },
 "headers": {
  "allow": "OPTIONS, GET",
  "x-request-id": "example-1"
 }
};

export const API_EXAMPLES: ApiExamples = {
 "getIndex": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "name": "Tracker Ledger",
     "version": "0.0.0",
     "resources": [
      {
       "type": "users",
       "uri": "users",
       "description": "Search users."
      },
      {
       "type": "projects",
       "uri": "projects",
       "description": "List the projects."
      },
      {
       "type": "artifact_temporary_files",
       "uri": "artifact_temporary_files",
       "description": "List the files of the caller that are not attached."
      },
      {
       "type": "artifacts",
       "uri": "artifacts",
       "description": "List artifacts by id, or by the time of their last change."
      },
      {
       "type": "description",
       "uri": "openapi.json",
       "description": "Get the description of the API."
      },
      {
       "type": "explorer",
       "uri": "explorer",
       "description": "Try each route, in a browser."
      }
     ]
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "shared": {
  "parameters": {
   "id": "101",
   "limit": "1",
   "cursor": "cGxhY2U.c2lnbmF0dXJl",
   "X-Request-Id": "example-1",
   "offset": "0"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": 161,
      "uri": "artifacts/161",
      "xref": "bug #161",
      "html_url": "/plugins/tracker/?aid=161",
      "tracker": tracker1,
      "project": {
       "id": 101,
       "uri": "projects/101",
       "label": "Hydra",
       "icon": ""
      },
      "submitted_by": 103,
      "submitted_by_user": submitted_by_user2,
      "submitted_on": "2026-08-13T08:00:00+00:00",
      "changesets_uri": "artifacts/161/changesets",
      "values": null,
      "values_by_field": null,
      "last_update_by": 102,
      "last_update_by_user": last_update_by_user3,
      "last_modified_date": "2026-08-14T08:00:00+00:00",
      "status": "Closed",
      "full_status": {
       "value": "Closed",
       "color": "inca-silver"
      },
      "is_open": false,
      "title": "The alarm is slow to start",
      "assignees": assignees4
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "link": "<https://tracker.example.org/api/trackers/101/artifacts?limit=1&cursor=cGxhY2U.c2lnbmF0dXJl>; rel=\"next\"",
     "x-pagination-limit": "1",
     "x-pagination-limit-max": "1000",
     "x-pagination-offset": "0",
     "x-pagination-size": "160",
     "x-request-id": "example-1"
    }
   },
   "400": {
    "body": {
     "error": {
      "code": 400,
      "message": "Bad Request: limit must be at most 50, not 1000",
      "details": [
       {
        "pointer": "limit",
        "message": "must be at most 50, not 1000"
       }
      ]
     }
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   },
   "401": {
    "body": {
     "error": {
      "code": 401,
      "message": "Unauthorized: Sign in first: this route requires a user"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "www-authenticate": "Basic realm=\"Tracker Ledger\", charset=\"UTF-8\"",
     "x-request-id": "example-1"
    }
   },
   "403": {
    "body": {
     "error": {
      "code": 403,
      "message": "Forbidden: You have no access to this project"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   },
   "404": {
    "body": {
     "error": {
      "code": 404,
      "message": "Not Found: No such artifact"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-request-id": "example-1"
    }
   },
   "406": {
    "body": {
     "error": {
      "code": 406,
      "message": "Not Acceptable: Not acceptable; the service returns application/json"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   },
   "408": answers5,
   "413": {
    "body": {
     "error": {
      "code": 413,
      "message": "Payload Too Large: a body holds at most 1048576 bytes"
     }
    },
    "headers": {
     "allow": "OPTIONS, POST",
     "x-request-id": "example-1"
    }
   },
   "415": {
    "body": {
     "error": {
      "code": 415,
      "message": "Unsupported Media Type: Unsupported Content-Type; send application/json"
     }
    },
    "headers": {
     "allow": "OPTIONS, POST",
     "x-request-id": "example-1"
    }
   },
   "429": {
    "body": {
     "error": {
      "code": 429,
      "message": "Too Many Requests: Too many failed sign-ins; retry later"
     }
    },
    "headers": {
     "allow": "OPTIONS, POST, DELETE",
     "retry-after": "900",
     "x-request-id": "example-1"
    }
   },
   "431": {
    "body": {
     "error": {
      "code": 431,
      "message": "Request Header Fields Too Large"
     }
    },
    "headers": {}
   },
   "500": {
    "body": {
     "error": {
      "code": 500,
      "message": "Internal Server Error: The user name or the password is wrong"
     }
    },
    "headers": {
     "allow": "OPTIONS, POST, DELETE",
     "x-request-id": "example-1"
    }
   },
   "503": {
    "body": {
     "error": {
      "code": 503,
      "message": "Service Unavailable: The service is starting; retry later"
     }
    },
    "headers": {
     "retry-after": "1",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "postTokens": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "body": {
   "username": "bob",
   "password": "tracker-ledger"
  },
  "answers": {
   "200": {
    "body": {
     "user_id": "102",
     "token": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl",
     "uri": "/api/tokens/eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl"
    },
    "headers": {
     "allow": "OPTIONS, POST, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getUsers": {
  "parameters": {
   "query": "carol",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": body6,
    "headers": headers7
   }
  }
 },
 "getUsersId": {
  "parameters": {
   "id": "self",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "id": 102,
     "uri": "users/102",
     "user_url": "/users/bob",
     "real_name": "Bob Keller",
     "display_name": "Bob Keller (bob)",
     "username": "bob",
     "ldap_id": "",
     "avatar_url": "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
     "is_anonymous": false,
     "has_avatar": false,
     "email": "bob@example.org",
     "status": "A"
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "postAccessKeys": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "body": {
   "description": "Nightly report"
  },
  "answers": {
   "201": {
    "body": {
     "identifier": "tlp-k1-101.3e2f0c6b7d"
    },
    "headers": {
     "allow": "OPTIONS, POST",
     "location": "https://tracker.example.org/api/access_keys/101",
     "x-request-id": "example-1"
    }
   },
   "409": {
    "body": {
     "error": {
      "code": 409,
      "message": "Conflict: A user has at most 200 access keys: revoke one first"
     }
    },
    "headers": {
     "allow": "OPTIONS, POST",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getAccessKeysId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": body8,
    "headers": {
     "allow": "OPTIONS, GET, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getUsersIdAccessKeys": {
  "parameters": {
   "id": "self",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     body8
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "50",
     "x-pagination-limit-max": "50",
     "x-pagination-offset": "0",
     "x-pagination-size": "1",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getProjects": {
  "parameters": {
   "query": "{\"shortname\":\"hydra\"}",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     body9
    ],
    "headers": headers7
   }
  }
 },
 "getProjectsId": {
  "parameters": {
   "id": "101",
   "If-None-Match": "\"another\"",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": body9,
    "headers": {
     "allow": "OPTIONS, GET",
     "etag": "\"RwGfOhkci8R6DH8cPxQpJGf1kyxs23gkGHovp0Qm80M\"",
     "x-request-id": "example-1"
    }
   },
   "304": {
    "headers": {
     "allow": "OPTIONS, GET",
     "etag": "\"RwGfOhkci8R6DH8cPxQpJGf1kyxs23gkGHovp0Qm80M\"",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getProjectsIdTrackers": {
  "parameters": {
   "id": "101",
   "query": "{}",
   "representation": "minimal",
   "with_creation_semantic_check": "title",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": 101,
      "uri": "trackers/101",
      "label": "Bugs",
      "color_name": "fiesta-red",
      "project": {
       "id": 101,
       "uri": "projects/101",
       "label": "Hydra",
       "icon": ""
      },
      "cannot_create_reasons": [
       "You may not submit artifacts to this tracker",
       "You may not submit the field Title, which this tracker requires"
      ]
     },
     {
      "id": 105,
      "uri": "trackers/105",
      "label": "Stories",
      "color_name": "army-green",
      "project": {
       "id": 101,
       "uri": "projects/101",
       "label": "Hydra",
       "icon": ""
      },
      "cannot_create_reasons": [
       "You may not submit artifacts to this tracker",
       "You may not submit the field Title, which this tracker requires"
      ]
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "10",
     "x-pagination-limit-max": "50",
     "x-pagination-offset": "0",
     "x-pagination-size": "2",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getProjectsIdUserGroups": {
  "parameters": {
   "id": "101",
   "query": "{}",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": "101_3",
      "uri": "user_groups/101_3",
      "label": "Project members",
      "users_uri": "user_groups/101_3/users",
      "short_name": "project_members",
      "key": "ugroup_project_members_name_key",
      "additional_information": []
     },
     {
      "id": "101_4",
      "uri": "user_groups/101_4",
      "label": "Project administrators",
      "users_uri": "user_groups/101_4/users",
      "short_name": "project_admins",
      "key": "ugroup_project_admins_name_key",
      "additional_information": []
     },
     {
      "id": "101",
      "uri": "user_groups/101",
      "label": "Developers",
      "users_uri": "user_groups/101/users",
      "short_name": "developers",
      "key": "developers",
      "additional_information": []
     },
     {
      "id": "102",
      "uri": "user_groups/102",
      "label": "Testers",
      "users_uri": "user_groups/102/users",
      "short_name": "testers",
      "key": "testers",
      "additional_information": []
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "100",
     "x-pagination-limit-max": "1000",
     "x-pagination-offset": "0",
     "x-pagination-size": "4",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getUserGroupsId": {
  "parameters": {
   "id": "101_3",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "id": "101_3",
     "uri": "user_groups/101_3",
     "label": "Project members",
     "users_uri": "user_groups/101_3/users",
     "short_name": "project_members",
     "key": "ugroup_project_members_name_key",
     "project": project10,
     "additional_information": []
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getUserGroupsIdUsers": {
  "parameters": {
   "id": "101_3",
   "query": "{\"identifier\":\"carol\"}",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": body6,
    "headers": {
     "allow": "OPTIONS, GET, PUT",
     "x-pagination-limit": "10",
     "x-pagination-limit-max": "50",
     "x-pagination-offset": "0",
     "x-pagination-size": "1",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getTrackersId": {
  "parameters": {
   "id": "105",
   "If-None-Match": "\"another\"",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "id": 105,
     "uri": "trackers/105",
     "html_url": "/plugins/tracker/?tracker=105",
     "project": {
      "id": 101,
      "uri": "projects/101",
      "label": "Hydra",
      "icon": ""
     },
     "label": "Stories",
     "description": "What users shall be able to do",
     "item_name": "story",
     "fields": [
      {
       "field_id": 127,
       "label": "Title",
       "name": "title",
       "type": "string",
       "values": null,
       "required": true,
       "collapsed": false,
       "bindings": {
        "type": null,
        "list": []
       },
       "permissions": [
        "read"
       ],
       "permissions_for_groups": null,
       "default_value": "",
       "has_notifications": false,
       "is_used": true,
       "description": "",
       "specific_properties": {
        "maxchars": 0,
        "size": 30,
        "default_value": ""
       },
       "label_decorators": []
      },
      {
       "field_id": 128,
       "label": "Description",
       "name": "description",
       "type": "text",
       "values": null,
       "required": false,
       "collapsed": false,
       "bindings": {
        "type": null,
        "list": []
       },
       "permissions": [
        "read"
       ],
       "permissions_for_groups": null,
       "default_value": {
        "format": "text",
        "content": ""
       },
       "has_notifications": false,
       "is_used": true,
       "description": "",
       "specific_properties": {
        "rows": 10,
        "cols": 50,
        "default_value": ""
       },
       "label_decorators": []
      },
      {
       "field_id": 129,
       "label": "Status",
       "name": "status",
       "type": "sb",
       "values": [
        {
         "id": 114,
         "label": "Todo",
         "is_hidden": false,
         "value_color": ""
        },
        {
         "id": 115,
         "label": "Doing",
         "is_hidden": false,
         "value_color": "daphne-blue"
        },
        {
         "id": 116,
         "label": "Done",
         "is_hidden": false,
         "value_color": "army-green"
        }
       ],
       "required": false,
       "collapsed": false,
       "bindings": {
        "type": "static",
        "list": []
       },
       "permissions": [
        "read"
       ],
       "permissions_for_groups": null,
       "default_value": [
        {
         "id": 114,
         "label": "Todo"
        }
       ],
       "has_notifications": false,
       "is_used": true,
       "description": "",
       "specific_properties": {},
       "label_decorators": []
      },
      {
       "field_id": 130,
       "label": "Starts",
       "name": "starts",
       "type": "date",
       "values": null,
       "required": false,
       "collapsed": false,
       "bindings": {
        "type": null,
        "list": []
       },
       "permissions": [
        "read"
       ],
       "permissions_for_groups": null,
       "default_value": "",
       "has_notifications": false,
       "is_used": true,
       "description": "",
       "specific_properties": {
        "default_value": "",
        "display_time": true
       },
       "label_decorators": [],
       "is_time_displayed": true
      },
      {
       "field_id": 131,
       "label": "Effort in days",
       "name": "effort",
       "type": "float",
       "values": null,
       "required": false,
       "collapsed": false,
       "bindings": {
        "type": null,
        "list": []
       },
       "permissions": [
        "read"
       ],
       "permissions_for_groups": null,
       "default_value": null,
       "has_notifications": false,
       "is_used": true,
       "description": "",
       "specific_properties": {
        "maxchars": 0,
        "size": 10,
        "default_value": null
       },
       "label_decorators": []
      },
      {
       "field_id": 132,
       "label": "Total effort",
       "name": "total_effort",
       "type": "computed",
       "values": null,
       "required": false,
       "collapsed": false,
       "bindings": {
        "type": null,
        "list": []
       },
       "permissions": [
        "read"
       ],
       "permissions_for_groups": null,
       "default_value": null,
       "has_notifications": false,
       "is_used": true,
       "description": "",
       "specific_properties": {
        "default_value": null
       },
       "label_decorators": []
      },
      {
       "field_id": 133,
       "label": "Links",
       "name": "links",
       "type": "art_link",
       "values": null,
       "required": false,
       "collapsed": false,
       "bindings": {
        "type": null,
        "list": []
       },
       "permissions": [
        "read"
       ],
       "permissions_for_groups": null,
       "default_value": null,
       "has_notifications": false,
       "is_used": true,
       "description": "",
       "specific_properties": {},
       "label_decorators": [],
       "allowed_types": [
        {
         "shortname": "",
         "forward_label": "",
         "reverse_label": ""
        },
        {
         "shortname": "_is_child",
         "forward_label": "Child",
         "reverse_label": "Parent"
        },
        {
         "shortname": "fixed_in",
         "forward_label": "Fixed in",
         "reverse_label": "Fixes"
        },
        {
         "shortname": "custom",
         "forward_label": "Custom",
         "reverse_label": "Custom"
        }
       ]
      }
     ],
     "structure": [
      {
       "id": 127,
       "content": null
      },
      {
       "id": 128,
       "content": null
      },
      {
       "id": 129,
       "content": null
      },
      {
       "id": 130,
       "content": null
      },
      {
       "id": 131,
       "content": null
      },
      {
       "id": 132,
       "content": null
      },
      {
       "id": 133,
       "content": null
      }
     ],
     "semantics": {
      "title": {
       "field_id": 127
      },
      "description": {
       "field_id": 128
      },
      "status": {
       "field_id": 129,
       "value_ids": [
        114,
        115
       ]
      }
     },
     "notifications": {
      "enabled": false
     },
     "workflow": {
      "field_id": 0,
      "is_used": "0",
      "is_legacy": false,
      "is_advanced": false,
      "rules": {
       "dates": [],
       "lists": []
      },
      "transitions": []
     },
     "permissions_for_groups": null,
     "parent": null,
     "resources": [
      {
       "type": "artifacts",
       "uri": "trackers/105/artifacts"
      },
      {
       "type": "reports",
       "uri": "trackers/105/tracker_reports"
      },
      {
       "type": "used_artifact_links",
       "uri": "trackers/105/used_artifact_links"
      },
      {
       "type": "parent_artifacts",
       "uri": "trackers/105/parent_artifacts"
      }
     ],
     "color_name": "army-green"
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "etag": "\"UPQWFHhvpwHHlmKUv-1n7AvMcnOqejbIcCnvq91QveQ\"",
     "x-request-id": "example-1"
    }
   },
   "304": {
    "headers": {
     "allow": "OPTIONS, GET",
     "etag": "\"UPQWFHhvpwHHlmKUv-1n7AvMcnOqejbIcCnvq91QveQ\"",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getTrackersIdArtifacts": {
  "parameters": {
   "id": "101",
   "limit": "1",
   "values": "all",
   "modified_since": "2026-11-24T00:00:00Z",
   "created_since": "2026-11-24T00:00:00Z",
   "X-Request-Id": "example-1",
   "order": "desc",
   "expert_query": "title = 'pump'",
   "sort": "-submitted_on",
   "query": "{\"title\":\"pump\"}"
  },
  "body": {
   "title": {
    "operator": "contains",
    "value": "pump"
   },
   "submitted_on": ">2020-01-01"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": 161,
      "uri": "artifacts/161",
      "xref": "bug #161",
      "html_url": "/plugins/tracker/?aid=161",
      "tracker": tracker1,
      "project": {
       "id": 101,
       "uri": "projects/101",
       "label": "Hydra",
       "icon": ""
      },
      "submitted_by": 103,
      "submitted_by_user": submitted_by_user2,
      "submitted_on": "2026-08-13T08:00:00+00:00",
      "changesets_uri": "artifacts/161/changesets",
      "values": values11,
      "values_by_field": null,
      "last_update_by": 102,
      "last_update_by_user": last_update_by_user3,
      "last_modified_date": "2026-08-14T08:00:00+00:00",
      "status": "Closed",
      "full_status": {
       "value": "Closed",
       "color": "inca-silver"
      },
      "is_open": false,
      "title": "The alarm is slow to start",
      "assignees": assignees4
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "link": "<https://tracker.example.org/api/trackers/101/artifacts?values=all&limit=1&cursor=cGxhY2U.c2lnbmF0dXJl>; rel=\"next\"",
     "x-pagination-limit": "1",
     "x-pagination-limit-max": "1000",
     "x-pagination-offset": "0",
     "x-pagination-size": "160",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getTrackersIdParentArtifacts": {
  "parameters": {
   "id": "105",
   "limit": "1",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": 157,
      "uri": "artifacts/157",
      "xref": "story #157",
      "html_url": "/plugins/tracker/?aid=157",
      "title": "See the flow of a whole day",
      "tracker": {
       "id": 105,
       "uri": "trackers/105",
       "label": "Stories",
       "color_name": "army-green",
       "project": {
        "id": 101,
        "uri": "projects/101",
        "label": "Hydra",
        "icon": ""
       },
       "cannot_create_reasons": null
      },
      "full_status": {
       "value": "Todo",
       "color": null
      }
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "link": "<https://tracker.example.org/api/trackers/105/parent_artifacts?limit=1&cursor=cGxhY2U.c2lnbmF0dXJl>; rel=\"next\"",
     "x-pagination-limit": "1",
     "x-pagination-limit-max": "1000",
     "x-pagination-offset": "0",
     "x-pagination-size": "10",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getTrackersIdUsedArtifactLinks": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "shortname": "fixed_in",
      "forward_label": "Fixed in"
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "100",
     "x-pagination-limit-max": "1000",
     "x-pagination-offset": "0",
     "x-pagination-size": "1",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getTrackersIdTrackerReports": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": 103,
      "uri": "tracker_reports/103",
      "label": "Mine",
      "is_public": true,
      "is_default": false,
      "resources": [
       {
        "type": "artifacts",
        "uri": "tracker_reports/103/artifacts"
       }
      ]
     },
     body16
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "10",
     "x-pagination-limit-max": "1000",
     "x-pagination-offset": "0",
     "x-pagination-size": "2",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getTrackerReportsId": {
  "parameters": {
   "id": "102",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": body16,
    "headers": {
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getTrackerReportsIdArtifacts": {
  "parameters": {
   "id": "102",
   "limit": "1",
   "values": "all",
   "output_format": "nested",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": 164,
      "uri": "artifacts/164",
      "xref": "bug #164",
      "html_url": "/plugins/tracker/?aid=164",
      "tracker": tracker1,
      "project": {
       "id": 101,
       "uri": "projects/101",
       "label": "Hydra",
       "icon": ""
      },
      "submitted_by": 103,
      "submitted_by_user": submitted_by_user2,
      "submitted_on": "2026-08-23T08:00:00+00:00",
      "changesets_uri": "artifacts/164/changesets",
      "values": [
       {
        "field_id": 102,
        "type": "string",
        "label": "Title",
        "value": "The pressure sensor stops after a restart"
       },
       values12,
       {
        "field_id": 105,
        "type": "sb",
        "label": "Status",
        "values": [
         {
          "id": 101,
          "label": "New",
          "color": null,
          "tlp_color": "fiesta-red",
          "is_hidden": false
         }
        ],
        "bind_value_ids": [
         101
        ]
       },
       values13,
       {
        "field_id": 107,
        "type": "msb",
        "label": "Assigned to",
        "values": [],
        "bind_value_ids": []
       },
       {
        "field_id": 109,
        "type": "sb",
        "label": "Team",
        "values": [],
        "bind_value_ids": []
       },
       {
        "field_id": 110,
        "type": "cb",
        "label": "Platforms",
        "values": [
         {
          "id": 108,
          "label": "Linux",
          "color": null,
          "tlp_color": null,
          "is_hidden": false
         }
        ],
        "bind_value_ids": [
         108
        ]
       },
       values14,
       {
        "field_id": 114,
        "type": "int",
        "label": "Points",
        "value": 6
       },
       {
        "field_id": 115,
        "type": "date",
        "label": "Due",
        "value": "2026-03-29T00:00:00+00:00",
        "is_time_displayed": false
       },
       {
        "field_id": 117,
        "type": "art_link",
        "label": "Links",
        "links": [],
        "reverse_links": []
       },
       {
        "field_id": 120,
        "type": "aid",
        "label": "Artifact",
        "value": 164
       },
       {
        "field_id": 121,
        "type": "atid",
        "label": "Number",
        "value": 82
       },
       {
        "field_id": 122,
        "type": "subon",
        "label": "Submitted on",
        "value": "2026-08-23T08:00:00+00:00"
       },
       values15,
       {
        "field_id": 124,
        "type": "lud",
        "label": "Last update on",
        "value": "2026-08-23T08:00:00+00:00"
       },
       {
        "field_id": 125,
        "type": "luby",
        "label": "Last update by",
        "value": submitted_by_user2
       }
      ],
      "values_by_field": null,
      "last_update_by": 103,
      "last_update_by_user": submitted_by_user2,
      "last_modified_date": "2026-08-23T08:00:00+00:00",
      "status": "New",
      "full_status": {
       "value": "New",
       "color": "fiesta-red"
      },
      "is_open": true,
      "title": "The pressure sensor stops after a restart",
      "assignees": []
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "link": "<https://tracker.example.org/api/tracker_reports/102/artifacts?values=all&output_format=nested&limit=1&cursor=cGxhY2U.c2lnbmF0dXJl>; rel=\"next\"",
     "x-pagination-limit": "1",
     "x-pagination-limit-max": "50",
     "x-pagination-offset": "0",
     "x-pagination-size": "53",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getTrackerFieldsIdValues": {
  "parameters": {
   "id": "111",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": 111,
      "label": "pump",
      "is_hidden": false,
      "value_color": ""
     },
     {
      "id": 112,
      "label": "valve",
      "is_hidden": false,
      "value_color": ""
     },
     {
      "id": 113,
      "label": "display",
      "is_hidden": false,
      "value_color": ""
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "100",
     "x-pagination-limit-max": "1000",
     "x-pagination-offset": "0",
     "x-pagination-size": "3",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getArtifacts": {
  "parameters": {
   "limit": "1",
   "modified_since": "2026-11-24T00:00:00Z",
   "created_since": "2026-11-24T00:00:00Z",
   "X-Request-Id": "example-1",
   "query": "{\"id\":[161]}"
  },
  "answers": {
   "200": {
    "body": {
     "collection": [
      collection17
     ]
    },
    "headers": {
     "allow": "OPTIONS, GET, POST",
     "x-pagination-limit": "1",
     "x-pagination-limit-max": "100",
     "x-pagination-offset": "0",
     "x-pagination-size": "1",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getArtifactsId": {
  "parameters": {
   "id": "161",
   "If-None-Match": "\"999\"",
   "X-Request-Id": "example-1",
   "at": "2026-11-24T08:00:00Z",
   "tracker_structure_format": "minimal",
   "revision": "0",
   "values_format": "all"
  },
  "answers": {
   "200": {
    "body": collection17,
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "etag": "\"1\"",
     "last-modified": "Fri, 14 Aug 2026 08:00:00 GMT",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getArtifactsIdLinks": {
  "parameters": {
   "id": "161",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "natures": []
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getArtifactsIdLinkedArtifacts": {
  "parameters": {
   "id": "161",
   "direction": "forward",
   "nature": "fixed_in",
   "output_format": "flat",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [],
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "10",
     "x-pagination-limit-max": "50",
     "x-pagination-offset": "0",
     "x-pagination-size": "0",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getArtifactsIdChangesets": {
  "parameters": {
   "id": "161",
   "limit": "1",
   "fields": "all",
   "order": "desc",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "id": 2,
      "submitted_by": 102,
      "submitted_by_details": last_update_by_user3,
      "submitted_on": "2026-08-14T08:00:00+00:00",
      "email": null,
      "last_comment": {
       "body": "",
       "post_processed_body": "",
       "format": "text",
       "ugroups": null
      },
      "values": values11,
      "last_modified_by": last_update_by_user3,
      "last_modified_date": "2026-08-14T08:00:00+00:00"
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "link": "<https://tracker.example.org/api/artifacts/161/changesets?fields=all&order=desc&limit=1&cursor=cGxhY2U.c2lnbmF0dXJl>; rel=\"next\"",
     "x-pagination-limit": "1",
     "x-pagination-limit-max": "50",
     "x-pagination-offset": "0",
     "x-pagination-size": "2",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getArtifactsIdHistory": {
  "parameters": {
   "id": "161",
   "limit": "2",
   "order": "desc",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     {
      "revision": 1,
      "position": "0000000000000140",
      "type": "ArtifactValuesChanged",
      "at": "2026-08-14T08:00:00.000Z",
      "actor": {
       "id": 102,
       "username": "bob",
       "uri": "users/102"
      },
      "comment": null,
      "changes": [
       {
        "field_id": 105,
        "name": "status_id",
        "label": "Status",
        "before": [
         {
          "id": 101,
          "label": "New"
         }
        ],
        "after": [
         {
          "id": 104,
          "label": "Closed"
         }
        ]
       },
       {
        "field_id": 107,
        "name": "assigned_to",
        "label": "Assigned to",
        "before": null,
        "after": [
         {
          "id": 103,
          "label": "carol"
         }
        ]
       }
      ]
     },
     {
      "revision": 0,
      "position": "000000000000013e",
      "type": "ArtifactSubmitted",
      "at": "2026-08-13T08:00:00.000Z",
      "actor": {
       "id": 103,
       "username": "carol",
       "uri": "users/103"
      },
      "comment": null,
      "changes": [
       {
        "field_id": 102,
        "name": "title",
        "label": "Title",
        "before": null,
        "after": "The alarm is slow to start"
       },
       {
        "field_id": 103,
        "name": "description",
        "label": "Description",
        "before": null,
        "after": {
         "content": "The log has nothing about it. Until then a restart by hand helps.",
         "format": "text"
        }
       },
       {
        "field_id": 105,
        "name": "status_id",
        "label": "Status",
        "before": null,
        "after": [
         {
          "id": 101,
          "label": "New"
         }
        ]
       },
       {
        "field_id": 106,
        "name": "severity",
        "label": "Severity",
        "before": null,
        "after": [
         {
          "id": 106,
          "label": "Major"
         }
        ]
       },
       {
        "field_id": 110,
        "name": "platforms",
        "label": "Platforms",
        "before": null,
        "after": [
         {
          "id": 110,
          "label": "Controller"
         }
        ]
       },
       {
        "field_id": 111,
        "name": "keywords",
        "label": "Keywords",
        "before": null,
        "after": [
         {
          "id": "b113",
          "label": "display"
         }
        ]
       },
       {
        "field_id": 114,
        "name": "points",
        "label": "Points",
        "before": null,
        "after": 8
       },
       {
        "field_id": 115,
        "name": "due",
        "label": "Due",
        "before": null,
        "after": "2026-03-19T00:00:00+00:00"
       }
      ]
     }
    ],
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "2",
     "x-pagination-limit-max": "1000",
     "x-pagination-offset": "0",
     "x-pagination-size": "2",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "postArtifacts": {
  "parameters": {
   "Idempotency-Key": "leaking-pump-1",
   "X-Request-Id": "example-1"
  },
  "body": {
   "tracker": {
    "id": 101
   },
   "values": [
    {
     "field_id": 102,
     "value": "The pump leaks"
    }
   ]
  },
  "answers": {
   "201": {
    "body": {
     "id": 351,
     "uri": "artifacts/351",
     "tracker": {
      "id": 101,
      "uri": "trackers/101",
      "label": "Bugs",
      "color": "fiesta-red",
      "project": {
       "id": 101,
       "uri": "projects/101",
       "label": "Hydra",
       "icon": ""
      }
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, POST",
     "etag": "\"0\"",
     "last-modified": "Tue, 24 Nov 2026 08:00:00 GMT",
     "location": "https://tracker.example.org/api/artifacts/351",
     "x-request-id": "example-1"
    }
   },
   "404": {
    "body": {
     "error": {
      "code": 404,
      "message": "Not Found: No such tracker"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, POST",
     "x-request-id": "example-1"
    }
   },
   "409": {
    "body": {
     "error": {
      "code": 409,
      "message": "Conflict: This Idempotency-Key was used with another body in the last 24 hours; use a new key"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, POST",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "putArtifactsId": {
  "parameters": {
   "id": "161",
   "If-Unmodified-Since": "Tue, 24 Nov 2026 08:00:00 GMT",
   "If-None-Match": "\"999\"",
   "X-Request-Id": "example-1",
   "If-Match": "*"
  },
  "body": {
   "values": [
    {
     "field_id": 102,
     "value": "The pump leaks"
    }
   ],
   "comment": {
    "body": "Since Monday",
    "format": "text"
   }
  },
  "answers": {
   "200": {
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "etag": "\"2\"",
     "last-modified": "Tue, 24 Nov 2026 08:00:00 GMT",
     "x-request-id": "example-1"
    }
   },
   "412": {
    "body": {
     "error": {
      "code": 412,
      "message": "Precondition Failed: The artifact has changed, or another condition of the headers is false; read it again and repeat the request"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "deleteArtifactsId": {
  "parameters": {
   "id": "161",
   "X-Request-Id": "example-1",
   "If-Match": "*",
   "If-Unmodified-Since": "Tue, 24 Nov 2026 08:00:00 GMT",
   "If-None-Match": "\"999\""
  },
  "answers": {
   "200": {
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-ratelimit-limit": "10",
     "x-ratelimit-remaining": "9",
     "x-request-id": "example-1"
    }
   },
   "403": {
    "body": {
     "error": {
      "code": 403,
      "message": "Forbidden: Only administrators of the tracker may delete its artifacts"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-ratelimit-limit": "10",
     "x-ratelimit-remaining": "10",
     "x-request-id": "example-1"
    }
   },
   "412": {
    "body": {
     "error": {
      "code": 412,
      "message": "Precondition Failed: The artifact has changed, or another condition of the headers is false; read it again and repeat the request"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-ratelimit-limit": "10",
     "x-ratelimit-remaining": "10",
     "x-request-id": "example-1"
    }
   },
   "429": {
    "body": {
     "error": {
      "code": 429,
      "message": "Too Many Requests: You have deleted 10 artifacts in 24 hours, the limit is 10"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "retry-after": "86400",
     "x-ratelimit-limit": "10",
     "x-ratelimit-remaining": "0",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "postArtifactTemporaryFiles": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "body": {
   "name": "log.txt",
   "mimetype": "text/plain",
   "content": "aGVsbG8g",
   "description": "What the pump logs"
  },
  "answers": {
   "201": {
    "body": {
     "id": 101,
     "submitted_by": 102,
     "description": "What the pump logs",
     "name": "log.txt",
     "size": 6,
     "type": "text/plain",
     "html_url": null,
     "html_preview_url": null,
     "uri": "artifact_files/101"
    },
    "headers": {
     "allow": "OPTIONS, GET, POST",
     "x-disk-usage": "6",
     "x-quota": "67108864",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   },
   "409": {
    "body": {
     "error": {
      "code": 409,
      "message": "Conflict: A user has at most 200 temporary files: attach or remove some first"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, POST",
     "x-disk-usage": "1200",
     "x-quota": "67108864",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   },
   "507": {
    "body": {
     "error": {
      "code": 507,
      "message": "Insufficient Storage: The storage for files is full"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, POST",
     "x-disk-usage": "11",
     "x-quota": "67108864",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   }
  }
 },
 "putArtifactTemporaryFilesId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "body": {
   "offset": 2,
   "content": "d29ybGQ="
  },
  "answers": {
   "200": {
    "body": body18,
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-disk-usage": "11",
     "x-quota": "67108864",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   },
   "507": {
    "body": {
     "error": {
      "code": 507,
      "message": "Insufficient Storage: The storage for files is full"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-disk-usage": "11",
     "x-quota": "67108864",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   }
  }
 },
 "getArtifactTemporaryFiles": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": [
     body18
    ],
    "headers": {
     "allow": "OPTIONS, GET, POST",
     "x-disk-usage": "11",
     "x-pagination-limit": "10",
     "x-pagination-limit-max": "50",
     "x-pagination-offset": "0",
     "x-pagination-size": "1",
     "x-quota": "67108864",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   }
  }
 },
 "getArtifactTemporaryFilesId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "data": "aGVsbG8gd29ybGQ="
    },
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-disk-usage": "11",
     "x-pagination-limit": "1048576",
     "x-pagination-limit-max": "1048576",
     "x-pagination-offset": "0",
     "x-pagination-size": "11",
     "x-quota": "67108864",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   }
  }
 },
 "getArtifactFilesId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "data": "aGVsbG8gd29ybGQ="
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "x-pagination-limit": "1048576",
     "x-pagination-limit-max": "1048576",
     "x-pagination-offset": "0",
     "x-pagination-size": "11",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   }
  }
 },
 "postTrackerFieldsIdFiles": {
  "parameters": {
   "id": "118",
   "X-Request-Id": "example-1"
  },
  "body": {
   "name": "hello.txt",
   "file_size": 11,
   "file_type": "text/plain"
  },
  "answers": {
   "200": {
    "body": {
     "id": 102,
     "upload_href": "/uploads/tracker/file/102",
     "download_href": "/plugins/tracker/attachments/102-hello.txt"
    },
    "headers": {
     "allow": "OPTIONS, POST",
     "x-request-id": "example-1"
    }
   },
   "409": {
    "body": {
     "error": {
      "code": 409,
      "message": "Conflict: A user has at most 200 resumable uploads: attach or discard some first"
     }
    },
    "headers": {
     "allow": "OPTIONS, POST",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "patchUploadsTrackerFileId": {
  "parameters": {
   "id": "102",
   "Tus-Resumable": "1.0.0",
   "Upload-Offset": "0",
   "X-Request-Id": "example-1"
  },
  "body": "hello ",
  "answers": {
   "204": {
    "headers": {
     "allow": "OPTIONS, HEAD, DELETE, PATCH",
     "tus-extension": "termination",
     "tus-resumable": "1.0.0",
     "tus-version": "1.0.0",
     "upload-offset": "6",
     "x-request-id": "example-1"
    }
   },
   "400": {
    "body": {
     "error": {
      "code": 400,
      "message": "Bad Request: Upload-Offset must be a number of bytes",
      "details": [
       {
        "pointer": "Upload-Offset",
        "message": "must be a number of bytes"
       }
      ]
     }
    },
    "headers": {
     "allow": "OPTIONS, HEAD, DELETE, PATCH",
     "tus-extension": "termination",
     "tus-resumable": "1.0.0",
     "tus-version": "1.0.0",
     "x-request-id": "example-1"
    }
   },
   "408": answers5,
   "409": {
    "body": {
     "error": {
      "code": 409,
      "message": "Conflict: Wrong Upload-Offset; the upload stands at 6"
     }
    },
    "headers": {
     "allow": "OPTIONS, HEAD, DELETE, PATCH",
     "tus-extension": "termination",
     "tus-resumable": "1.0.0",
     "tus-version": "1.0.0",
     "x-request-id": "example-1"
    }
   },
   "412": answers19,
   "413": {
    "body": {
     "error": {
      "code": 413,
      "message": "Payload Too Large: 5 bytes are left of this upload"
     }
    },
    "headers": {
     "allow": "OPTIONS, HEAD, DELETE, PATCH",
     "tus-extension": "termination",
     "tus-resumable": "1.0.0",
     "tus-version": "1.0.0",
     "x-request-id": "example-1"
    }
   },
   "415": {
    "body": {
     "error": {
      "code": 415,
      "message": "Unsupported Media Type: Unsupported Content-Type; send application/offset+octet-stream"
     }
    },
    "headers": {
     "allow": "OPTIONS, HEAD, DELETE, PATCH",
     "tus-extension": "termination",
     "tus-resumable": "1.0.0",
     "tus-version": "1.0.0",
     "x-request-id": "example-1"
    }
   },
   "507": {
    "body": {
     "error": {
      "code": 507,
      "message": "Insufficient Storage: The storage for files is full"
     }
    },
    "headers": {
     "allow": "OPTIONS, HEAD, DELETE, PATCH",
     "tus-extension": "termination",
     "tus-resumable": "1.0.0",
     "tus-version": "1.0.0",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "headUploadsTrackerFileId": {
  "parameters": {
   "id": "102",
   "Tus-Resumable": "1.0.0",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "headers": {
     "allow": "OPTIONS, HEAD, DELETE, PATCH",
     "tus-extension": "termination",
     "tus-resumable": "1.0.0",
     "tus-version": "1.0.0",
     "upload-length": "11",
     "upload-offset": "6",
     "x-request-id": "example-1"
    }
   },
   "412": answers20
  }
 },
 "deleteUploadsTrackerFileId": {
  "parameters": {
   "id": "102",
   "Tus-Resumable": "1.0.0",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "204": answers20,
   "412": answers19
  }
 },
 "getPluginsTrackerAttachmentsFile": {
  "parameters": {
   "file": "101-log.txt",
   "If-None-Match": "\"101-11\"",
   "X-Request-Id": "example-1",
   "Range": "bytes=0-4",
   "If-Range": "\"101-11\"",
   "If-Match": "\"101-11\""
  },
  "answers": {
   "200": {
    "body": "hello world",
    "headers": headers21
   },
   "206": {
    "body": "hello",
    "headers": {
     "accept-ranges": "bytes",
     "allow": "OPTIONS, GET",
     "content-disposition": "attachment; filename=\"log.txt\"; filename*=UTF-8''log.txt",
     "content-range": "bytes 0-4/11",
     "content-security-policy": "sandbox; default-src 'none'",
     "etag": "\"101-11\"",
     "x-request-id": "example-1"
    }
   },
   "304": {
    "headers": headers21
   },
   "412": {
    "body": {
     "error": {
      "code": 412,
      "message": "Precondition Failed: The file is not one that If-Match names"
     }
    },
    "headers": {
     "accept-ranges": "bytes",
     "allow": "OPTIONS, GET",
     "x-request-id": "example-1"
    }
   },
   "416": {
    "body": {
     "error": {
      "code": 416,
      "message": "Range Not Satisfiable: the file has 11 bytes"
     }
    },
    "headers": {
     "accept-ranges": "bytes",
     "allow": "OPTIONS, GET",
     "content-range": "bytes */11",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "postSvn": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "body": {
   "project_id": 101,
   "name": "pumps"
  },
  "answers": {
   "201": {
    "body": {
     "id": 101,
     "project": project10,
     "uri": "svn/101",
     "name": "pumps",
     "svn_url": "https://tracker.example.org/svnplugin/hydra/pumps",
     "settings": {
      "commit_rules": {
       "is_reference_mandatory": false,
       "is_commit_message_change_allowed": false
      },
      "immutable_tags": {
       "paths": [],
       "whitelist": []
      },
      "access_file": "",
      "email_notifications": [],
      "has_default_permissions": true
     }
    },
    "headers": {
     "allow": "OPTIONS, POST",
     "location": "https://tracker.example.org/api/svn/101",
     "x-request-id": "example-1"
    }
   },
   "409": {
    "body": {
     "error": {
      "code": 409,
      "message": "Conflict: Another repository of the project has this name"
     }
    },
    "headers": {
     "allow": "OPTIONS, POST",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "putSvnId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "body": {
   "settings": {
    "commit_rules": {
     "is_reference_mandatory": true,
     "is_commit_message_change_allowed": false
    },
    "immutable_tags": immutable_tags22,
    "access_file": "[/]\n* = r\n@members = rw\n",
    "email_notifications": [
     {
      "path": "/trunk",
      "emails": [
       "ci@example.org"
      ],
      "users": [
       102
      ],
      "user_groups": [
       "101_3"
      ]
     }
    ]
   }
  },
  "answers": {
   "200": {
    "body": {
     "id": 101,
     "project": project10,
     "uri": "svn/101",
     "name": "pumps",
     "svn_url": "https://tracker.example.org/svnplugin/hydra/pumps",
     "settings": {
      "commit_rules": {
       "is_reference_mandatory": true,
       "is_commit_message_change_allowed": false
      },
      "immutable_tags": immutable_tags22,
      "access_file": "[/]\n* = r\n@members = rw\n",
      "email_notifications": [
       {
        "user_groups": [
         {
          "id": "101_3",
          "uri": "user_groups/101_3",
          "label": "Project members",
          "users_uri": "user_groups/101_3/users",
          "short_name": "project_members",
          "key": "ugroup_project_members_name_key"
         }
        ],
        "users": [
         last_update_by_user3
        ],
        "emails": [
         "ci@example.org"
        ],
        "path": "/trunk"
       }
      ],
      "has_default_permissions": true
     }
    },
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getSvnId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": body23,
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getProjectsIdSvn": {
  "parameters": {
   "id": "101",
   "query": "{\"name\":\"pumps\"}",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "repositories": [
      body23
     ]
    },
    "headers": headers7
   }
  }
 },
 "getOpenapiJson": {
  "parameters": {
   "If-None-Match": "*",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "body": {
     "openapi": "3.1.0",
     "info": {
      "title": "Tracker Ledger",
      "version": "0.0.0",
      "description": "Projects, their trackers, and artifacts. The service speaks the REST API of Tuleap's trackers.\n\n`/api` and `/api/v1` are one set of routes. An address in a representation (`uri`) is relative to either of them.\nStart at `/projects` and follow `resources`.\n\n**Credentials.** Sign in with `POST /tokens`, HTTP Basic or an access key. Anonymous readers may use many routes, if\nthe platform allows anonymous access. Wrong credentials fail on every route, also where no credentials are required.\n\n**Pages.** A collection comes in pages of `limit` items, which begin at `offset`. The X-PAGINATION headers give the page and the\nnumber of all items that the reader may see. A limit above the maximum is an error. The header Link of a page leads to\nthe next page, with a `cursor` instead of an offset.\n\n**Errors.** An error is JSON. Its `details` point at each fault of the request. A method that a path does not have is\nanswered 405, with the methods of the path in Allow. OPTIONS is answered 200 on every path, without credentials.\n\n**HEAD.** Every GET may be sent as HEAD, and is answered without the body. Allow does not name HEAD.\n\n**Headers.** Every answer carries the headers of CORS, Cache-Control, Expires, Vary and X-Content-Type-Options.\n\n**Values.** Times are ISO-8601 with offset. The service ignores query parameters that a route does not have.",
      "license": {
       "name": "UNLICENSED",
       "identifier": "LicenseRef-UNLICENSED"
      }
     },
     "servers": [
      {
       "url": "/api"
      },
      {
       "url": "/api/v1"
      }
     ],
     "paths": {}
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "etag": "\"kIdjNYnqI9KCdHp6uXKANXhWeuVVlm9yZJmFgxkASo4\"",
     "x-request-id": "example-1"
    }
   },
   "304": {
    "headers": {
     "allow": "OPTIONS, GET",
     "etag": "\"kIdjNYnqI9KCdHp6uXKANXhWeuVVlm9yZJmFgxkASo4\"",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "getHealthLive": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": answers24
  }
 },
 "getHealthReady": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": answers24,
   "503": {
    "body": {
     "error": {
      "code": 503,
      "message": "Service Unavailable: not ready yet"
     }
    },
    "headers": {
     "allow": "OPTIONS, GET",
     "retry-after": "1",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "deleteArtifactTemporaryFilesId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-disk-usage": "0",
     "x-quota": "67108864",
     "x-request-id": "example-1",
     "x-upload-max-file-chunksize": "1048576"
    }
   }
  }
 },
 "deleteSvnId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "202": {
    "headers": {
     "allow": "OPTIONS, GET, PUT, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "deleteAccessKeysId": {
  "parameters": {
   "id": "101",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "headers": {
     "allow": "OPTIONS, GET, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "putUserGroupsIdUsers": {
  "parameters": {
   "id": "101_3",
   "X-Request-Id": "example-1"
  },
  "body": [
   {
    "username": "bob"
   }
  ],
  "answers": {
   "200": {
    "headers": {
     "allow": "OPTIONS, GET, PUT",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "deleteTokensToken": {
  "parameters": {
   "token": "eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl",
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "headers": {
     "allow": "OPTIONS, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 },
 "deleteTokens": {
  "parameters": {
   "X-Request-Id": "example-1"
  },
  "answers": {
   "200": {
    "headers": {
     "allow": "OPTIONS, POST, DELETE",
     "x-request-id": "example-1"
    }
   }
  }
 }
};
