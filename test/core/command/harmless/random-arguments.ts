import type { HarmlessRow, ValueKind } from '../../../../src/core/command/harmless/grammar.ts'
import { understands } from '../../../../src/core/command/harmless/grammar.ts'

/** Gives numbers below a limit; the same seed gives the same ones. */
export type Dice = (below: number) => number

/** A small generator, so that a process without the test runner can repeat what failed. */
export function throwDice(seed: number): Dice {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const SAMPLES: Readonly<Record<ValueKind, readonly string[]>> = {
  number: ['0', '1', '2', '30', '999999999'],
  unsigned: ['a.txt', 'src', 'b'],
  signed: ['0', '1', '+2', '-3', '2k', '+0c'],
  word: [
    'a',
    'auto',
    'always',
    'never',
    'name',
    'all',
    'f',
    'd',
    'iso',
    'new',
    'precious',
    '1,2',
    '2-3',
    'evil',
    'word',
  ],
  text: [
    'word',
    'o',
    'precious',
    'new',
    './new',
    'sub',
    'sub/b.txt',
    'missing/new',
    'a.txt',
    'HEAD',
    'HEAD~1',
    'HEAD:a.txt',
    'HEAD..main',
    'main',
    '1,2:a.txt',
    '*',
    '*.txt',
    './evil',
    'evil',
    '|./evil',
    '!./evil',
    '$(./evil)',
    '`./evil`',
    '/dev/null',
    '/dev/stdout',
    'link',
    'packed.gz',
    'ext::./evil',
    '+1',
    '%p',
    '(',
    '!',
    'one two',
    '',
    ':(attr:evil)a.txt',
  ],
  anything: ['-n', '-e', '--output=new', '> new', '| ./evil', 'x', '\\0101'],
  dateFormat: ['+%s', '+%N', '+new', '+'],
  lines: ['1p', '1,2p', '$p', '1,+2p;3p'],
  commitFormat: ['%h %s', 'oneline', 'format:%an%n%b', '%x00'],
}

/** What is dangerous somewhere; where a row understands one of these, it must do no harm there. */
const DANGEROUS: readonly string[] =
  '-o -O -onew -O./evil --output=new --ext-diff --textconv -exec -delete -fprint -i -w -W -R -f -F -s -z -x -X -e -c -C -D -p -d -u -l -T -S -G --pre=./evil -T. -rf -- --help --version'.split(
    ' ',
  )

/** Random arguments that a row understands. */
export function drawArguments(row: HarmlessRow, dice: Dice): readonly string[] {
  for (;;) {
    const args: string[] = []
    for (let left = dice(6); left > 0; left -= 1) args.push(...drawPart(row, dice))
    if (understands(row, args)) return args
  }
}

function drawPart(row: HarmlessRow, dice: Dice): readonly string[] {
  const pick = <T>(from: readonly T[]): T | undefined => from[dice(from.length)]
  const kind = dice(10)
  if (kind === 0) return [pick(DANGEROUS) ?? '']
  if (kind < 5 || row.options.size === 0) {
    const operand = pick(row.operands)
    return operand === undefined ? [] : [pick(SAMPLES[operand]) ?? '']
  }
  const [name = '', option] = pick([...row.options]) ?? []
  if (option === undefined) return []
  if (name === '-#') return ['-2']
  const value = pick(SAMPLES[option.kind]) ?? ''
  const joined = name.startsWith('--') ? `${name}=${value}` : `${name}${value}`
  if (option.takes === 'nothing') return [name]
  if (option.takes === 'attached') return [dice(2) === 0 ? name : joined]
  return dice(2) === 0 ? [name, value] : [joined]
}
