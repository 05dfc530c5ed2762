/** A log of the embedded stores, copied to servers by the service's own migration. */
import { openMigrationStores } from '../../src/composition/migration.js';
import { migrate } from '../../src/migration/migrate.js';

export interface CopyInput {
  /** Of the embedded stores. */
  readonly directory: string;
  readonly eventStoreDbUrl: string;
  readonly mongoDbUrl: string;
  readonly prefix: string;
}

export async function copyToServers({ directory, ...urls }: CopyInput): Promise<void> {
  const stores = await openMigrationStores('embedded', {
    dataDir: directory,
    servers: { ...urls, filesDir: undefined },
    clock: () => new Date(),
    onRetry: () => undefined,
  });
  const { equal } = await migrate({ ...stores, report: () => undefined });
  await stores.close();
  if (!equal) throw new Error('The servers do not hold what the directory holds');
}
