import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findOutdated, PRINTED } from '../../scripts/print-docs.ts'
import { TOP } from '../../scripts/run-tool.ts'

it('the printed pages and the help say what the code says', () => {
  expect(findOutdated(TOP), 'run npm run docs').toEqual([])
})

it('a printed page that was changed by hand, or is missing, is found', () => {
  const top = mkdtempSync(join(tmpdir(), 'tongs-docs-'))
  onTestFinished(() => rmSync(top, { recursive: true }))
  const [changed = '', missing = ''] = Object.keys(PRINTED)
  for (const [file, render] of Object.entries(PRINTED)) {
    if (file === missing) continue
    mkdirSync(join(top, dirname(file)), { recursive: true })
    writeFileSync(join(top, file), file === changed ? `${render()}by hand` : render())
  }
  expect(findOutdated(top)).toEqual([changed, missing])
})
