import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { atMost, timeInTurns } from './measure.ts'
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
      (file: string, ...args: string[]) =>
      () => {
        const end = spawnSync(file, args, options)
        if (end.status !== 0) throw new Error(`${file} ${args.join(' ')}: ${String(end.stderr)}`)
      }
    const times = await timeInTurns(
      {
        node: run(process.execPath, '-e', '0'),
        version: run(tongs, '--version'),
        call: run(tongs, 'call', 'read_file', '{"path":"a.txt"}'),
      },
      { rounds: 31, runs: 1 },
    )
    return [
      atMost('14 --version from the shell', times.version / 1000, times.node / 1000, 'ms', 1.1),
      atMost('14 a call of read_file from the shell', times.call / 1000, times.node / 1000, 'ms', 2.8),
    ]
  } finally {
    place.clean()
  }
}
