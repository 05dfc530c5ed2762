import { destination, pino, type DestinationStream, type Level, type Logger } from 'pino';

const SECRETS = [
  'password',
  'token',
  'identifier',
  'authorization',
  'Authorization',
  '["x-auth-token"]',
  '["X-Auth-Token"]',
  '["x-auth-accesskey"]',
  '["X-Auth-AccessKey"]',
];
const CENSOR = '[redacted]';
const ACCESS_KEY = /\b(tlp-k1-\d+\.)[\w%-]+/g;
/** From the first word of a run that begins with `eyJ`: to try each of them takes the square of their number. */
const JWT = /(?<![\w-])((?:(?!eyJ)\w*-)*)eyJ[\w-]+\.[\w-]+\.[\w%-]*/g;

const ESCAPED = /%([\da-f]{2})/gi;

/** Lines go out together: a write for each costs as much as the request that it tells of. */
const LINES_TOGETHER_BYTES = 8192;
const LATEST_MS = 100;

/** Of lines that wait for room on the disk. Those after them are lost. */
const MOST_WAITING_BYTES = 1_048_576;

/** A pipe takes 4,096 bytes in one piece on Linux. Some letters are more than a byte. */
const IN_PIECES = { minLength: 3000, maxWrite: 3800 };

/** For a process that others share the output with: their lines are not within each other's. */
export const sharedOutput = (): DestinationStream => standardOutput(IN_PIECES);

/** Where it takes nothing, as on a full disk, the service goes on. */
function standardOutput(pieces: { minLength: number; maxWrite?: number } = { minLength: LINES_TOGETHER_BYTES }) {
  const output = destination({
    ...{ fd: 1, sync: false, ...pieces },
    ...{ maxLength: MOST_WAITING_BYTES, periodicFlush: LATEST_MS },
  });
  // The one of the library, which follows each fatal line, tries again without end and blocks the thread. With this one,
  // lines that wait are lost at `process.exit`: who calls it lets some time pass.
  output.flushSync = () => {
    output.flush();
  };
  process.once('beforeExit', () => {
    output.end();
  });
  output.on('error', () => undefined);
  return output;
}

/** For commands: what they print is theirs alone. */
export const standardError = (): DestinationStream => destination({ fd: 2, sync: true });

/** JSON lines on standard output. What must not be read there is masked wherever it comes from. */
export function createLogger(level: Level | 'silent', to: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRETS.flatMap((name) => [name, `*${name.startsWith('[') ? '' : '.'}${name}`]),
        censor: CENSOR,
      },
      serializers: { err: withoutSecretsIn },
    },
    to,
  );
}

/**
 * Text, the path of a request for instance, without the tokens and the access keys in it. It is given back decoded where
 * they are percent-encoded, or what is before them.
 */
export function withoutSecrets(text: string): string {
  const plain = masked(text);
  if (!plain.includes('%')) return plain;
  const decoded = plain.replaceAll(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const masking = masked(decoded);
  return masking === decoded ? plain : masking;
}

function masked(text: string): string {
  return text
    .replaceAll(/(\/tokens\/)[^/?\s]+/gi, `$1${CENSOR}`)
    .replaceAll(JWT, `$1${CENSOR}`)
    .replaceAll(ACCESS_KEY, `$1${CENSOR}`);
}

function withoutSecretsIn(error: Error): object {
  const { type, message, stack } = pino.stdSerializers.err(error);
  return { type, message: withoutSecrets(message), stack: withoutSecrets(stack) };
}
