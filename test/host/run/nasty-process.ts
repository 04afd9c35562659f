/** Stops nasty commands in a process of its own, as root or as somebody else, and prints what came of each as JSON. */
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { openCommandBench } from './command-bench.ts'
import { nasty, stopAll, unmarked } from './nasty-commands.ts'
import type { Stopped } from './nasty-commands.ts'

const [, , user = '', how = '', rounds = '1'] = process.argv
if (user === 'ordinary') becomeOrdinary()
const bench = await openCommandBench()
const commands = how === 'open' ? nasty : { ...nasty, ...unmarked }
const confinement = how === 'open' ? bench.open : bench.sandboxed
const stopped: Stopped[] = []
for (let round = 0; round < Number(rounds); round++)
  stopped.push(...(await stopAll(bench, commands, confinement)))
const bomb = how === 'open' ? null : await countOfBomb()
await bench.close()
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), stopped, bomb }))

/** A bomb that goes off only as far as its limit lets it; for root no such limit holds, and it is a small one. */
async function countOfBomb(): Promise<{ readonly made: number; readonly holder: string | undefined }> {
  const code =
    'for (1 .. 60) { $p = fork; last unless defined $p; if (!$p) { sleep 20; exit } $n++ } print $n'
  const end = await bench.run(['perl', '-e', code], { limits: { processes: 30 } })
  return { made: Number(end.stdout), holder: end.limitsHeld.processes }
}
