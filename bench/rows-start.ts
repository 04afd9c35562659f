import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { atMost, round, timeInTurns, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

/** Row 14: starting from the shell, against an empty Node. */
export async function startRows(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    writeFileSync(join(place.root, 'a.txt'), 'a\n')
    const tongs = join(dirname(import.meta.dirname), 'bin', 'tongs')
    const options = { cwd: place.root, env: { ...process.env, TONGS_STATE_DIR: join(place.top, 'state') } }
    const run =
      (file: string, args: readonly string[], code = 0) =>
      () => {
        const end = spawnSync(file, args, options)
        if (end.status !== code) throw new Error(`${file} ${args.join(' ')}: ${String(end.stderr)}`)
      }
    const times = await timeInTurns(
      {
        node: run(process.execPath, ['-e', '0']),
        version: run(tongs, ['--version']),
        call: run(tongs, ['call', 'read_file', '{"path":"a.txt"}']),
        // Refused before anything is opened.
        refused: run(tongs, ['call', 'read_file', '{'], 2),
      },
      { rounds: 31, runs: 1 },
    )
    return [
      atMost('14 --version from the shell', times.version / 1000, times.node / 1000, 'ms', 1.1),
      withLimit(
        atMost('14 a call of read_file from the shell', times.call / 1000, times.node / 1000, 'ms', 2.8),
        `The same command with arguments that are refused before anything is opened takes ${round(times.refused / 1000)} ms: Node itself, comparing the sources of the checkout with the bundle, and loading the code. Opening the journal, the call, and closing take the other ${round((times.call - times.refused) / 1000)}.`,
      ),
    ]
  } finally {
    place.clean()
  }
}
