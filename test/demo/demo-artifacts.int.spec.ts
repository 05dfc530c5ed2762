import { expect } from 'chai';
import { demoArtifacts, type DemoStep } from '../../src/demo/demo-artifacts.js';
import { DEMO_PLATFORM } from '../../src/demo/demo-platform.js';
import { definitionsOf } from '../support/definitions.js';
import { platformFixture, type PlatformFixture } from '../platform-file/platform-fixture.js';

describe('the artifacts of the demo platform', () => {
  let platform: PlatformFixture;
  let steps: readonly DemoStep[];

  before(async () => {
    platform = await platformFixture();
    await platform.apply(DEMO_PLATFORM);
    steps = demoArtifacts(platform.service.definitions);
  });
  after(() => platform.close());

  it('are a few hundred, and the same every time', () => {
    expect(new Set(steps.map(({ artifact }) => artifact)).size).to.equal(250);
    expect(demoArtifacts(platform.service.definitions)).to.deep.equal(steps);
  });

  it('come in the order in which they happened', () => {
    const days = steps.map(({ daysAgo }) => daysAgo);
    expect(days).to.deep.equal([...days].sort((a, b) => b - a));
    expect(Math.min(...days)).to.be.greaterThan(0);
  });

  it('are submitted with all that is required, before they change or are linked to', () => {
    const submitted = new Set<number>();
    for (const { artifact, trackerId, values, links } of steps) {
      const required = platform.service.definitions.tracker(trackerId)?.fields.filter((field) => field.required) ?? [];
      if (!submitted.has(artifact)) expect(values).to.include.keys(required.map(({ id }) => String(id)));
      submitted.add(artifact);
      for (const link of links?.to ?? []) expect(submitted).to.include(link.artifact);
    }
  });

  it('go only the ways that the workflow allows', () => {
    const states = new Map<number, number | null>();
    for (const { artifact, trackerId, values } of steps) {
      const workflow = platform.service.definitions.tracker(trackerId)?.view.workflow;
      const value = workflow ? values[String(workflow.field)] : undefined;
      if (!workflow || !Array.isArray(value)) continue;
      const from = states.get(artifact) ?? null;
      const to: unknown = value[0];
      expect(workflow.transitions.map((transition) => [transition.from, transition.to])).to.deep.include([from, to]);
      states.set(artifact, typeof to === 'number' ? to : null);
    }
    expect(states.size).to.equal(160);
  });

  it('are none on another platform', () => {
    expect(demoArtifacts(definitionsOf())).to.deep.equal([]);
  });
});
