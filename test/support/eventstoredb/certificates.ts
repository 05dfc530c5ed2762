// Certificates for servers under test, made when they are needed: no key outlives the specs.
import { isIP } from 'node:net';
import { generate } from 'selfsigned';

/** Both in PEM. */
export interface ServerCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority {
  /** In PEM: who trusts it, trusts what it has issued. */
  readonly certificate: string;
  /** For a server of these names and addresses. */
  readonly issued: (...hosts: readonly string[]) => Promise<ServerCertificate>;
}

const KIND = { keyType: 'ec', algorithm: 'sha256' } as const;

export async function authority(name = 'An authority of specs'): Promise<Authority> {
  const own = await generate([{ name: 'commonName', value: name }], {
    ...KIND,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return {
    certificate: own.cert,
    issued: async (...hosts) => {
      const issued = await generate([{ name: 'commonName', value: hosts[0] ?? '' }], {
        ...KIND,
        ca: { key: own.private, cert: own.cert },
        extensions: [
          { name: 'basicConstraints', cA: false },
          { name: 'extKeyUsage', serverAuth: true },
          {
            name: 'subjectAltName',
            altNames: hosts.map((host) => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host })),
          },
        ],
      });
      return { certificate: issued.cert, key: issued.private };
    },
  };
}
