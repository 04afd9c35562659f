/** Stops nasty commands in a process of its own, as root or as somebody else, and prints what came of each as JSON. */
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { openCommandBench } from './command-bench.ts'
import { nasty, stopAll, unmarked } from './nasty-commands.ts'

const [, , user = '', how = ''] = process.argv
if (user === 'ordinary') becomeOrdinary()
const bench = await openCommandBench()
const commands = how === 'open' ? nasty : { ...nasty, ...unmarked }
const stopped = await stopAll(bench, commands, how === 'open' ? bench.open : bench.sandboxed)
const bomb = how === 'open' ? null : await countOfBomb()
await bench.close()
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), stopped, bomb }))

/** A bomb that goes off only as far as its limit lets it; for root no such limit holds, and it is a small one. */
async function countOfBomb(): Promise<{ readonly made: number; readonly holder: string | undefined }> {
  const line = `i=0; while [ $i -lt 200 ]; do (sleep 20 &) 2>/dev/null || break; i=$((i+1)); done; ls -d /proc/[0-9]* | wc -l`
  const end = await bench.sh(line, { limits: { processes: 30 }, timeoutMs: 10_000 })
  const seen = await bench.sh('ls -d /proc/[0-9]* | wc -l')
  return { made: Number(end.stdout.trim()) - Number(seen.stdout.trim()), holder: end.limitsHeld.processes }
}
