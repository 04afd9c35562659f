import { readLockedPackages, readManifest } from './locked-packages.ts'
import type { LockedPackage } from './locked-packages.ts'

const SCOPES = { runs: 'required', optional: 'optional', development: 'excluded' } as const

/** The bill of materials in the CycloneDX format. Without times and serial numbers, so that equal locks give equal files. */
export function renderBillOfMaterials(): string {
  const { version } = readManifest()
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `tongs@${version}`,
        name: 'tongs',
        version,
        licenses: [{ expression: 'MIT' }],
      },
    },
    components: uniqueByRef(readLockedPackages().map(toComponent)),
  }
  return `${JSON.stringify(bill, null, 1)}\n`
}

function toComponent({ name, version, license, sha512, use }: LockedPackage) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    scope: SCOPES[use],
    hashes: [{ alg: 'SHA-512', content: sha512 }],
    licenses: [{ expression: license }],
    purl,
  }
}

/** A package that is installed in several places is listed once, by the use that reaches furthest. */
function uniqueByRef(
  components: readonly ReturnType<typeof toComponent>[],
): readonly ReturnType<typeof toComponent>[] {
  const reach = ['excluded', 'optional', 'required']
  const byRef = new Map<string, ReturnType<typeof toComponent>>()
  for (const one of components) {
    const known = byRef.get(one.purl)
    if (known === undefined || reach.indexOf(one.scope) > reach.indexOf(known.scope)) byRef.set(one.purl, one)
  }
  return [...byRef.values()]
}
