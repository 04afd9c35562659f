import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { redactSecrets } from '../../../../src/core/text/secrets/redact.ts'
import { triesOf } from '../../../harness/long-run.ts'

const TOP = join(import.meta.dirname, '../../../..')
const SOURCES = '**/*.{js,cjs,mjs,ts,cts,mts,jsx,tsx,json,md,py,yml,yaml,css,html,sh}'
const LEAST_FILES = 2_000
const MOST_TOUCHED = 0.003
/** Bundles larger than this say little more and take long. */
const MOST_BYTES = triesOf(400_000, 4_000_000)

interface LockedPackage {
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
}

/** Packages that `npm ci` installs on every machine, in the order of the lock file. */
function lockedPackages(): readonly string[] {
  const lock = JSON.parse(readFileSync(join(TOP, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockedPackage>>
  }
  return Object.entries(lock.packages)
    .filter(
      ([folder, { os, cpu, optional, hasInstallScript }]) =>
        folder !== '' &&
        os === undefined &&
        cpu === undefined &&
        optional !== true &&
        hasInstallScript !== true,
    )
    .map(([folder]) => folder)
}

function sourcesOf(folder: string): readonly string[] {
  return globSync(SOURCES, { cwd: join(TOP, folder), exclude: (name) => name.includes('node_modules') })
    .toSorted()
    .map((file) => join(folder, file))
}

/** The first line that differs. */
function firstTouched(text: string, shown: string): string {
  const lines = shown.split('\n')
  const at = text.split('\n').findIndex((line, index) => line !== lines[index])
  return `${at + 1}: ${(lines[at] ?? '').trim().slice(0, 120)}`
}

describe('ordinary code', () => {
  it('control: one who takes every assigned word for a secret touches most files', () => {
    const texts = lockedPackages()
      .slice(0, 20)
      .flatMap(sourcesOf)
      .slice(0, 300)
      .map((file) => readFileSync(join(TOP, file), 'utf8'))
    const touched = texts.filter((text) => /(?:key|name|token|pass)\w*["']?\s*[:=]\s*\S/i.test(text))
    expect(touched.length / texts.length).toBeGreaterThan(MOST_TOUCHED)
  })

  it('F-SAFE-REDACT: fewer than 0.3 % of at least 2,000 source files are touched', () => {
    const texts = lockedPackages()
      .flatMap(sourcesOf)
      .map((file) => [file, readFileSync(join(TOP, file), 'utf8')] as const)
      .filter(([, text]) => text.length <= MOST_BYTES)
    const touched = texts.flatMap(([file, text]) => {
      const shown = redactSecrets(text)
      return shown === text ? [] : [`${file}:${firstTouched(text, shown)}`]
    })
    const share = touched.length / texts.length
    process.stdout.write(
      `Ordinary files touched: ${touched.length} of ${texts.length} (${(100 * share).toFixed(2)} %).\n`,
    )
    expect(texts.length).toBeGreaterThanOrEqual(LEAST_FILES)
    expect(share, touched.join('\n')).toBeLessThan(MOST_TOUCHED)
  })
})
