/** Tries every attack in a process of its own, as root or as somebody else, and prints what came of each as JSON. */
import { chooserFrom, shuffled } from '../../harness/long-run.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'
import { openCommandBench } from '../run/command-bench.ts'
import { openAttackBench } from './attacks.ts'
import { gotThrough } from './controls.ts'
import { everyAttack } from './every-attack.ts'

const AT_ONCE = 4
/** Attacks that run together may help each other, so a long run tries them in other orders. */
const ORDERED = 0
/** A control only has to get through once; a machine at its limits may refuse it a process or a namespace for a moment. */
const CONTROL_TRIES = 3
const [, , how = '', seed = String(ORDERED), asked = '[]'] = process.argv
const names = JSON.parse(asked) as readonly string[]
if (how !== 'root') becomeOrdinary()
const isControl = how === 'control'
const plain = await openCommandBench(isControl ? 'open' : 'sandboxed')
const bench = await openAttackBench(plain, process.env['ATTACK_SECRET'] ?? '')
const outcomes: Record<string, string | null> = {}
const chosen = Object.entries(everyAttack).filter(([name]) => names.includes(name))
const waiting = [...(Number(seed) === ORDERED ? chosen : shuffled(chosen, chooserFrom(Number(seed))))]
const tryNext = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [name, attack] = next
    for (let tries = isControl ? CONTROL_TRIES : 1; tries > 0 && !gotThrough(outcomes[name]); tries--)
      outcomes[name] = await attack(bench).catch((error: unknown) => `it broke: ${String(error)}`)
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, tryNext))
await bench.close()
process.stdout.write(JSON.stringify({ uid: process.getuid?.(), outcomes }))
