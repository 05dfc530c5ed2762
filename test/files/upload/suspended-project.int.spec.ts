import { expect } from 'chai';
import { runService, type RunningService } from '../../support/service.js';

const PLATFORM = `
users:
  - { username: root, real_name: Root, email: root@example.org, password: root's password, site_admin: true }
projects:
  - shortname: lab
    label: Lab
    status: suspended
    trackers:
      - { item_name: bug, label: Bugs, fields: [{ name: files, label: Files, type: file }] }
`;

describe('A file for a suspended project', () => {
  let api: RunningService;
  before(async () => {
    api = await runService({ platform: PLATFORM });
  });
  after(() => api.stop());

  it('is announced by no user, not even a site administrator, who sees the project', async () => {
    const body = { name: 'log.txt', file_size: 1, file_type: 'text/plain' };
    const field = api.field('bug', 'files');
    const { status, body: told } = await api.post(`/tracker_fields/${field}/files`, { as: 'root', body });
    expect([status, told.error.message]).to.deep.equal([
      403,
      'Forbidden: You may not upload files for the field Files',
    ]);
  });
});
