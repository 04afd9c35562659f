import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderEvalPage } from '../eval/page.ts'
import { renderConfigurationPage } from '../src/config/configuration-page.ts'
import { renderCommandHelp, renderHelp } from '../src/faces/cli/help/help.ts'
import { renderManual } from '../src/faces/cli/help/manual.ts'
import { isJsonObject } from '../src/core/json/value.ts'
import { renderRulesPage } from '../src/policy/rules/rules-page.ts'
import { renderLifecyclePage } from './lifecycle-page.ts'
import { renderAcpPage } from './acp-page.ts'
import { TOP } from './run-tool.ts'
import { renderBillOfMaterials } from './supply-chain/bill-of-materials.ts'
import { renderDependenciesPage } from './supply-chain/dependencies-page.ts'
import { renderToolsPage } from './tools-page.ts'

/** The files that are printed from code, and what prints them. */
export const PRINTED: Readonly<Record<string, () => string>> = {
  'bin/help-commands.json': renderCommandHelp,
  'bin/help.txt': renderHelp,
  'docs/acp.md': renderAcpPage,
  'docs/configuration.md': renderConfigurationPage,
  'docs/dependencies.md': renderDependenciesPage,
  'docs/eval.md': renderEvalPage,
  'docs/lifecycle.md': renderLifecyclePage,
  'docs/rules.md': renderRulesPage,
  'docs/tools.md': renderToolsPage,
  'man/tongs.1': () => renderManual(versionOf(TOP)),
  'sbom.cdx.json': renderBillOfMaterials,
}

/** The printed files that differ from what the code would print now. */
export function findOutdated(top: string): readonly string[] {
  return Object.entries(PRINTED).flatMap(([file, render]) =>
    readIfThere(join(top, file)) === render() ? [] : [file],
  )
}

function versionOf(top: string): string {
  const about: unknown = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'))
  return isJsonObject(about) && typeof about['version'] === 'string' ? about['version'] : ''
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

if (import.meta.main) {
  const words = process.argv.slice(2)
  const outdated = findOutdated(TOP)
  const isCheck = words.includes('--check')
  for (const file of outdated) {
    if (!isCheck) writeFileSync(join(TOP, file), PRINTED[file]?.() ?? '')
    console.log(`${isCheck ? 'outdated, run npm run docs:' : 'printed'} ${file}`)
  }
  process.exitCode = isCheck && outdated.length > 0 ? 1 : 0
  // They take a terminal and a minute, and differ a little each time.
  if (words.includes('--pictures')) {
    const { takePictures } = await import('./pictures.ts')
    await takePictures(words.filter((word) => !word.startsWith('--')))
  }
}
