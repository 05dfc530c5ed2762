import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { DEMO_PLATFORM } from '../../src/demo/demo-platform.js';
import { checkingProxy, type CheckingProxy } from '../support/checking-proxy.js';
import { leaveOut } from '../support/left-out.js';
import { needsProgram } from '../support/needs-program.js';
import { pythonWith } from '../support/python.js';
import { runService, type RunningService } from '../support/service.js';
import { fencedBlocks } from '../support/shell-blocks.js';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.js';

const run = promisify(execFile);

const block = (label: string, language: string): string => {
  const { text } = fencedBlocks(language).find((found) => found.label === label) ?? {};
  if (text === undefined) throw new Error(`No block in ${language} is labelled ${label}`);
  return text;
};

const PROJECT = `<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net$(BundledNETCoreAppTargetFrameworkVersion)</TargetFramework></PropertyGroup>
</Project>`;
const MONO_LIBRARIES = ['-r:System.Net.Http', '-r:System.Runtime.Serialization'];

/** Mono's threads fail an assertion of their own in one run of hundreds, once the program has ended: SIGABRT, and a report. */
const MONO = 'mono "$0" || [ $? = 134 ]';
const MONO_REPORT = /^\* Assertion at mono-[^]*/m;

const isFound = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

describe('the programs of docs/clients.md', () => {
  let service: RunningService;
  let proxy: CheckingProxy;
  let directory: TemporaryDirectory;
  before(async () => {
    [service, directory] = await Promise.all([runService({ platform: DEMO_PLATFORM }), temporaryDirectory()]);
    proxy = await checkingProxy(service.url);
  });
  after(async () => {
    await proxy.stop();
    await service.stop();
    await directory.remove();
  });

  const within = (name: string): string => join(directory.path, name);
  const saved = (name: string, language: string): string => {
    writeFileSync(within(name), block('clients', language));
    return within(name);
  };

  /** The artifacts that the filter of the programs leaves. */
  const filtered = async (): Promise<number> => {
    const filter = encodeURIComponent('{"title":"pump night"}');
    const { headers } = await service.get(`/trackers/${service.tracker('bug')}/artifacts?query=${filter}`);
    return Number(headers.get('X-PAGINATION-SIZE'));
  };

  const runsTheSession = async (program: string, ...args: readonly string[]): Promise<void> => {
    const size = (await filtered()) + 1;
    const env = { ...process.env, API: `${proxy.url}/api` };
    const { stdout } = await run(program, args, { env, cwd: directory.path });
    const [bug = '', ...lines] = stdout.replaceAll('\r', '').replace(MONO_REPORT, '').trimEnd().split('\n');
    expect(bug).to.match(/^bug \d+ etag "0"$/);
    expect(lines).to.deep.equal(['200', '412', `page ${Math.min(size, 2)} of ${size}`]);
    const { body } = await service.get(`/artifacts/${bug.split(' ')[1]}`);
    expect(body.title).to.equal('The pump hums at night');
  };

  const outcome = (language: string): string =>
    `in ${language} changes its artifact on the first ETag, and is answered 412 when it does so again`;

  needsProgram('curl', 'the program in curl', () => {
    it(outcome('curl'), () => runsTheSession('sh', '-eu', saved('session.sh', 'sh')));
  });

  it(outcome('Node'), () => runsTheSession(process.execPath, saved('session.mjs', 'js')));

  const python = pythonWith('requests');
  if (python === undefined) leaveOut('the program in Python', 'no Python with the package requests is found');
  else it(outcome('Python'), () => runsTheSession(python, saved('session.py', 'python')));

  if (isFound('dotnet'))
    it(outcome('C#, on .NET'), async () => {
      saved('Session.cs', 'csharp');
      writeFileSync(within('Session.csproj'), PROJECT);
      await run('dotnet', ['build', '--output', within('net'), within('Session.csproj')]);
      await runsTheSession('dotnet', within('net/Session.dll'));
    });
  else if (isFound('mcs') && isFound('mono'))
    it(outcome('C#, on Mono'), async () => {
      await run('mcs', [...MONO_LIBRARIES, `-out:${within('session.exe')}`, saved('Session.cs', 'csharp')]);
      await runsTheSession('sh', '-c', MONO, within('session.exe'));
    });
  else leaveOut('the program in C#', 'neither dotnet nor Mono is found');
});
