import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TOP } from '../run-tool.ts'
import { readLockedPackages } from './locked-packages.ts'
import type { LockedPackage } from './locked-packages.ts'

interface Reason {
  readonly why: string
  /** The number of the decision record. */
  readonly record: string
}

const SHOWN_HEX = 16

/** The page about what Tongs is made of. Throws for a dependency without a reason, and for a reason without a dependency. */
export function renderDependenciesPage(): string {
  const reasons = JSON.parse(readFileSync(join(TOP, 'data/dependencies.json'), 'utf8')) as Readonly<
    Record<string, Reason>
  >
  const all = readLockedPackages()
  const direct = all.filter(({ isDirect }) => isDirect)
  const stray = Object.keys(reasons).filter((name) => !direct.some((one) => one.name === name))
  if (stray.length > 0) throw new Error(`data/dependencies.json gives reasons for ${stray.join(', ')}`)
  const records = readdirSync(join(TOP, 'docs/decisions'))
  const row = ({ name, version, license, sha512 }: LockedPackage): string => {
    const reason = reasons[name]
    const record = records.find((file) => file.startsWith(`${reason?.record}-`))
    if (reason === undefined || record === undefined)
      throw new Error(`${name} has no reason with a decision record in data/dependencies.json`)
    const hash = `\`${sha512.slice(0, SHOWN_HEX)}\``
    return `| \`${name}\` | ${version} | ${license} | ${reason.why} | [${reason.record}](decisions/${record}) | ${hash} |`
  }
  const table = (use: LockedPackage['use']): string =>
    [
      '| Package | Version | License | What for | Why | SHA-512 begins |',
      '| --- | --- | --- | --- | --- | --- |',
      ...direct.filter((one) => one.use === use).map(row),
    ].join('\n')
  const count = (use: LockedPackage['use']): number => all.filter((one) => one.use === use).length
  return `<!-- Printed by npm run docs. -->
# Dependencies

${count('runs')} packages are installed with Tongs, and up to ${count('optional')} more on the platforms that they are for; ${count('development')} are for those who work on it. Versions are exact, and \`npm ci\` refuses a package whose SHA-512 differs from the one in \`package-lock.json\`. None of those that are installed with Tongs has an install script.

[sbom.cdx.json](../sbom.cdx.json) lists all of them with license and whole hash, in the CycloneDX format. This page and that file are printed from the lock file, and the tests compare them.

## Installed with Tongs

${table('runs')}

## Where the platform has them

${table('optional')}

## For work on Tongs

${table('development')}

The package \`node\` fetches the Node of the platform when it is installed, which the lock file does not cover. So \`npm ci\` compares that program with \`data/node-checksums.json\` before anything uses it, and fails if it differs. Checksums are known for Linux on x64 and arm64 and for Windows on x64; elsewhere nothing is compared.

## Nothing leaves the machine unasked

As root on Linux, \`npm test\` runs in a network that contains only the machine itself, and fails if the kernel counted a single try to reach another one. Tongs sends what you ask it to send: requests to the model that you chose, pages and MCP servers that you agreed to, and commands that you gave network. It has no updates, reports or statistics that call home.
`
}
