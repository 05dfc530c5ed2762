/** Lints the description of the API by the rules that Redocly recommends: a warning fails, too. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { runService } from './service.js';

const api = await runService();
const response = await fetch(`${api.url}/api/openapi.json`);
const source = await response.text();
await api.stop();

// Schemas of answers are closed, those of requests are not.
const rules = {
  'no-invalid-media-type-examples': { severity: 'warn', allowAdditionalProperties: true },
} as const;
const config = await createConfig({ extends: ['recommended'], rules });
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
for (const { ruleId, message, location } of problems) {
  console.error(`${ruleId}: ${message} ${location.map(({ pointer }) => pointer ?? '').join(' ')}`);
}
if (problems.length > 0) process.exitCode = 1;
else console.log('the description of the API follows the recommended rules');
