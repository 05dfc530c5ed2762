/** Environment variables that the service does not read, but that resemble one that it reads. */
import leven from 'leven';

export interface MisspeltVariable {
  readonly name: string;
  readonly resembles: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Names none for a known variable that is set, itself or by its file: the other one is then meant for another program. */
export function misspeltVariables(env: Environment, known: ReadonlySet<string>): readonly MisspeltVariable[] {
  const isSet = (name: string): boolean => known.has(name) && (env[name] ?? '') !== '';
  const unset = [...known].filter((name) => ![name, `${name}_FILE`, name.replace(/_FILE$/, '')].some(isSet));
  return Object.keys(env)
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const like = (alike: typeof isClose) => unset.find((one) => alike(lettersOf(name), lettersOf(one)));
      const resembles = like(isClose) ?? like(goesOn);
      return resembles === undefined ? [] : [{ name, resembles }];
    });
}

export const wordsFor = ({ name, resembles }: MisspeltVariable): string =>
  `Unknown environment variable ${name}; did you mean ${resembles}?`;

const PRODUCTION = 'production';

/** As `prod` and `Production` do: only the exact value protects a service from the demo. */
export function resemblesProduction(nodeEnv: string): boolean {
  if (nodeEnv === PRODUCTION) return false;
  const letters = nodeEnv.toLowerCase();
  return letters.startsWith('prod') || isClose(letters, PRODUCTION);
}

const lettersOf = (name: string): string => name.replaceAll(/[^A-Za-z]/g, '').toUpperCase();

function isClose(given: string, known: string): boolean {
  return leven(given, known) <= toleranceFor(known.length);
}

/** As `DATA_DIRECTORY` and `JWT_SECRET_KEY` do. */
function goesOn(given: string, known: string): boolean {
  return toleranceFor(known.length) > 0 && given.startsWith(known);
}

/** Short words resemble too many others: HOST and HOME, PORT and SORT. */
function toleranceFor(length: number): number {
  if (length < 7) return 0;
  return length < 13 ? 2 : 3;
}
