/** For rules over a project: the files keep each, and each finds what is spoilt, or it would hold whatever they say. */
import { expect } from 'chai';
import { type Project } from './compose-files.js';
import { type Rule } from './compose-rules.js';

/** A project that may be changed for the worse. */
type Draft = ReturnType<typeof JSON.parse>;

type Case = readonly [spoil: (draft: Draft) => void, fault: RegExp];

/** For each rule, what it has to find fault with, and in what words. */
export type Spoilt<Name extends string> = Readonly<Record<Name, readonly Case[]>>;

export function itKeepsRules(
  rules: Readonly<Record<string, Rule>>,
  projects: { readonly one: Project; readonly cluster: Project },
): void {
  for (const [what, found] of [
    ['one server each', projects.one],
    ['clusters', projects.cluster],
  ] as const) {
    for (const [name, rule] of Object.entries(rules)) {
      it(`keep the rule ${name} with ${what}`, () => {
        expect(rule(found)).to.deep.equal([]);
      });
    }
  }
}

export function itFindsWhatIsSpoilt<Name extends string>(
  rules: Readonly<Record<string, Rule>>,
  spoilt: Spoilt<Name>,
  whole: Project,
): void {
  for (const [name, cases] of Object.entries<readonly Case[]>(spoilt)) {
    it(`can fail: ${name}`, () => {
      for (const [spoil, fault] of cases) {
        const draft: Draft = structuredClone(whole);
        spoil(draft);
        const faults = rules[name]?.(draft) ?? [];
        expect(
          faults.some((found) => fault.test(found)),
          `${String(fault)} among: ${faults.join('; ')}`,
        ).to.equal(true);
      }
    });
  }
}
