/** Makes the secret of tokens where the process may write nothing; prints the error. A process of its own. */
import { writeSync } from 'node:fs';
import { jwtSecrets } from '../../../src/authentication/tokens/jwt-secrets.js';
import { messageOf } from '../../../src/core/concurrency/retry.js';

try {
  jwtSecrets({ jwtSecrets: [], dataDir: process.argv[2] ?? '' });
} catch (error) {
  writeSync(1, messageOf(error));
}
