import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outsideFolder } from './install.ts'

/** One thing that a scenario looked at. */
export interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** What became of a scenario. */
export interface ScenarioEnd {
  readonly code: number
  readonly checks: readonly Check[]
  readonly text: string
}

const SUITE = ['@modelcontextprotocol', 'conformance', 'dist', 'index.js']
const TIMEOUT_MS = 60_000

/** Runs one scenario of the official conformance suite. */
export async function runScenario(
  side: 'server' | 'client',
  scenario: string,
  revision: string,
  words: readonly string[],
): Promise<ScenarioEnd> {
  const out = mkdtempSync(join(tmpdir(), 'tongs-suite-'))
  try {
    const { code, text } = await runProgram(process.execPath, [
      join(await outsideFolder(), ...SUITE),
      side,
      '--scenario',
      scenario,
      '--spec-version',
      revision,
      '--timeout',
      String(TIMEOUT_MS),
      '-o',
      out,
      ...words,
    ])
    const checks = readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('checks.json'))
      .flatMap((name) => JSON.parse(readFileSync(join(out, name), 'utf8')) as Check[])
    return { code, checks, text }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
}

/** Runs a program to its end; both of its outputs are one text. */
export function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  cwd = tmpdir(),
): Promise<{ readonly code: number; readonly text: string; readonly out: string }> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { env: { ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      out += part
    })
    child.stderr.setEncoding('utf8').on('data', (part: string) => (text += part))
    child.once('error', fail)
    child.once('close', (code) => done({ code: code ?? -1, text, out }))
  })
}
