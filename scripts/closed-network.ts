import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A network with nothing in it but this machine itself, for the processes started through it. */
export interface ClosedNetwork {
  /** The command line that runs another one in it. */
  readonly enter: (argv: readonly string[]) => readonly string[]
  /** How often something tried to reach another machine, known after the command has ended; null if it is not known. */
  readonly attempts: () => number | null
  readonly remove: () => void
}

/** Counts before it leaves, because the counts go with the network. */
const RUN_AND_COUNT =
  'ip link set lo up && { "$@"; code=$?; cat /proc/net/snmp /proc/net/snmp6 > "$0"; exit $code; }'

/**
 * Opens a network namespace. Whoever asks for another machine there is told at once that it cannot be reached, and is
 * counted by the kernel, whether the connection was refused, ignored or tried again. Null where that is not possible.
 */
export function openClosedNetwork(): ClosedNetwork | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  const folder = mkdtempSync(join(tmpdir(), 'tongs-network-'))
  const counts = join(folder, 'counts')
  const enter = (argv: readonly string[]): readonly string[] => [
    'unshare',
    '-n',
    'sh',
    '-c',
    RUN_AND_COUNT,
    counts,
    ...argv,
  ]
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  const [program = '', ...args] = enter(['true'])
  const network = { enter, attempts: () => countAttempts(counts), remove }
  if (spawnSync(program, args, { stdio: 'ignore' }).status === 0 && network.attempts() === 0) return network
  remove()
  return null
}

function countAttempts(file: string): number | null {
  let text = ''
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return null
  }
  const [, names = '', values = ''] = /^Ip: (\D.*)\nIp: (.*)$/m.exec(text) ?? []
  const four = Number(values.split(' ')[names.split(' ').indexOf('OutNoRoutes')])
  const six = Number(/^Ip6OutNoRoutes\s+(\d+)$/m.exec(text)?.[1] ?? 0)
  return Number.isInteger(four) ? four + six : null
}
