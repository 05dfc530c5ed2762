"""The first session of the README, with the client that is generated from the description of the API."""

import json
import sys

from tracker_ledger import Client
from tracker_ledger.api.artifacts import get_artifacts_id, post_artifacts, put_artifacts_id
from tracker_ledger.api.projects import get_projects
from tracker_ledger.api.tokens import post_tokens
from tracker_ledger.api.trackers import get_projects_id_trackers
from tracker_ledger.models import PostArtifactsBody, PostTokensJsonBody, PutArtifactsIdBody

anonymous = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
token = post_tokens.sync(client=anonymous, body=PostTokensJsonBody("alice", "tracker-ledger"))
api = anonymous.with_headers({"X-Auth-Token": token.token, "X-Auth-UserId": token.user_id})

[project] = get_projects.sync(client=api, query=json.dumps({"shortname": "hydra"}))
trackers = get_projects_id_trackers.sync(project.id, client=api)
bugs = next(tracker for tracker in trackers if tracker.item_name == "bug")
title = next(field.field_id for field in bugs.fields if field.name == "title")

creation = {"tracker": {"id": bugs.id}, "values_by_field": {"title": {"value": "The pump leaks"}}}
made = post_artifacts.sync(client=api, body=PostArtifactsBody.from_dict(creation), idempotency_key="my-first-bug")
read = get_artifacts_id.sync_detailed(made.id, client=api)
for value in read.parsed.values:
    if value.field_id == title:
        print(value.label, value.value)

for text in ["The pump leaks oil", "The pump leaks water"]:
    change = PutArtifactsIdBody.from_dict({"values": [{"field_id": title, "value": text}]})
    changed = put_artifacts_id.sync_detailed(made.id, client=api, body=change, if_match=read.headers["Etag"])
    print(changed.status_code, changed.parsed and changed.parsed.error.code)
print(get_artifacts_id.sync(made.id, client=api).title)
