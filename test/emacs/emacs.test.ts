import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { TOP } from '../../scripts/run-tool.ts'

const LISP = join(TOP, 'emacs')
const SUITES = readdirSync(join(LISP, 'test')).filter((name) => name.endsWith('-test.el'))

/** Runs a file of tests in an Emacs without anyone's settings, against the agent of this checkout. */
function runSuite(name: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const words = ['-Q', '--batch', '-L', LISP, '-L', join(LISP, 'test')]
  // Emacs compiles what it advises into its home, and two that do so at once trip over each other's files.
  const env = { ...process.env, HOME: mkdtempSync(join(tmpdir(), 'tongs-emacs-')) }
  return new Promise((resolve, reject) => {
    const child = spawn(
      'emacs',
      [...words, '-l', join(LISP, 'test', name), '-f', 'ert-run-tests-batch-and-exit'],
      { env, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out }))
  })
}

describe('Emacs', () => {
  // Emacs and its agent wait for each other most of the time.
  it.concurrent.for(SUITES)('passes %s', async (name, { expect }) => {
    const { code, out } = await runSuite(name)
    expect(out).toMatch(/Ran [1-9]\d* tests, (\d+) results as expected, 0 unexpected/)
    expect(out).not.toMatch(/\d+ skipped/)
    expect(code).toBe(0)
  })
})
