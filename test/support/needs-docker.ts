import { spawnSync } from 'node:child_process';

const answers = (...args: readonly string[]): boolean => spawnSync('docker', args, { timeout: 20_000 }).status === 0;

function missing(images: readonly string[]): string | undefined {
  if (!answers('version')) return 'no Docker Engine answers';
  if (!answers('compose', 'version')) return 'Docker Compose is not installed';
  const image = images.find((name) => !answers('image', 'inspect', name));
  return image === undefined ? undefined : `the image ${image} is not here, and specs pull none`;
}

/**
 * Registers specs that start containers where an engine has their images; otherwise one line says that they are left out.
 * REQUIRE_ALL does not ask for them, because no images can be pulled where the checks run: REQUIRE_DOCKER=1 does.
 */
export function needsDocker(images: readonly string[], specs: string, register: () => void): void {
  const reason = missing(images);
  if (reason === undefined) register();
  else if (process.env['REQUIRE_DOCKER'] === '1')
    it(specs, () => {
      throw new Error(`${specs}: ${reason}`);
    });
  else console.log(`${specs}: left out, because ${reason}`);
}
