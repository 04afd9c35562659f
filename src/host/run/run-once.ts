import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { FIRST_INPUT_FD } from '../confine/confinement.ts'
import type { Launch } from '../confine/confinement.ts'
import { answerListing } from '../confine/listing-check.ts'
import { openNamelessFile } from '../fs/nameless-file.ts'
import { findDescendants, signalProcess } from './process-tree.ts'

/** How a process ended that was run without a runner. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly isTimedOut: boolean
}

/** Runs what a sandbox starts, for probes of it; files that have a name for a moment are made in `folder`. */
export function runOnce(launch: Launch, folder: string, timeoutMs: number): Promise<Ended> {
  const inputs = launch.inputs.map((input) => {
    if (typeof input === 'string') return openSync(input, 'r')
    return 'listing' in input ? 'pipe' : openNamelessFile(folder, input)
  })
  const [program = '', ...args] = launch.argv
  return new Promise((done, fail) => {
    const child = spawn(program, args, {
      cwd: launch.cwd,
      env: launch.env,
      // Every descriptor is open: bubblewrap would take a closed one for its own use.
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', ...inputs],
    })
    let isTimedOut = false
    const timer = setTimeout(() => {
      isTimedOut = true
      for (const pid of child.pid === undefined ? [] : [...findDescendants(child.pid), child.pid])
        signalProcess(pid, 'SIGKILL')
    }, timeoutMs)
    for (const input of inputs) if (typeof input === 'number') closeSync(input)
    for (const [at, input] of launch.inputs.entries()) {
      const stream = child.stdio[FIRST_INPUT_FD + at] ?? null
      if (stream !== null && typeof input === 'object' && 'listing' in input)
        answerListing(stream as Duplex, input.listing)
    }
    let stdout = ''
    let stderr = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.once('error', fail)
    child.once('close', (code) => {
      clearTimeout(timer)
      done({ code, stdout, stderr, isTimedOut })
    })
  })
}
