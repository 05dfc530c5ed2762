import { expect } from 'chai';
import { isAnsweredHere } from '../../../src/composition/reading/answered-here.js';

const TOKEN = { 'x-auth-token': 't', 'x-auth-userid': '101' };

const asked = (url: string, headers = {}, method = 'GET'): boolean =>
  isAnsweredHere({ url: `/api${url}`, method, headers: { ...TOKEN, ...headers } });

describe('a reading process', () => {
  it('answers what the read models hold', () => {
    for (const path of [
      '/artifacts?query=%7B%7D',
      '/v1/artifacts/1',
      '/artifacts/1?values_format=by_field',
      '/artifacts/1/links',
      '/artifacts/1/linked_artifacts?nature=',
      '/projects',
      '/projects/101',
      '/projects/101/trackers',
      '/projects/101/user_groups',
      '/trackers/1',
      '/trackers/1/artifacts?limit=1',
      '/trackers/1/parent_artifacts',
      '/trackers/1/used_artifact_links',
      '/trackers/1/tracker_reports',
      '/tracker_fields/1/values',
      '/tracker_reports/1',
      '/tracker_reports/1/artifacts',
      '/users?query=ali',
      '/users/self',
      '/users/101',
      '/user_groups/101_3',
      '/user_groups/105/users',
    ]) {
      expect(asked(path), path).to.equal(true);
      expect(asked(path, {}, 'HEAD'), path).to.equal(true);
      expect(asked(path, {}, 'OPTIONS'), path).to.equal(false);
      expect(asked(path, {}, 'PUT'), path).to.equal(false);
    }
  });

  it('passes on what needs the log, the files or the main process', () => {
    for (const path of [
      '/artifacts/1?revision=0',
      '/artifacts/1?limit=1&%61t=2026-01-01',
      '/artifacts/1?values_format=?&revision=0',
      '/artifacts/1??revision=0',
      '/artifacts/1/changesets',
      '/artifacts/1/history',
      '/artifacts/one',
      '/artifact_files/1',
      '/artifact_temporary_files',
      '/projects/101/svn',
      '/svn/1',
      '/access_keys',
      '/tokens',
      '/explorer',
      '',
    ]) {
      expect(asked(path), path).to.equal(false);
    }
    for (const url of ['/', '/health/ready', '/apiary/projects', '/uploads/1', 'http://host/api/projects']) {
      expect(isAnsweredHere({ url, method: 'GET', headers: {} }), url).to.equal(false);
    }
  });

  it('passes on passwords, access keys and bodies', () => {
    for (const name of ['authorization', 'x-auth-accesskey', 'content-length', 'transfer-encoding', 'upgrade']) {
      expect(asked('/projects', { [name]: '1' }), name).to.equal(false);
    }
  });
});
