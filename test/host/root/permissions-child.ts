import { ToolFailure } from '../../../src/core/error.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

becomeOrdinary()

const root = openRoot(process.argv[2] ?? '')

/** What came of it, in a word or two. */
function tell(run: () => unknown): unknown {
  try {
    return run() ?? 'done'
  } catch (error) {
    if (error instanceof ToolFailure) return `${error.error.code} ${String(error.error.details['errno'])}`
    throw error
  }
}

const walk = (from: string): string[] => {
  const seen: string[] = []
  root.walk(from, (entry) => {
    const stat = entry.stat()
    seen.push(`${entry.path}:${entry.kind}:${'fault' in stat ? stat.fault : 'seen'}`)
    return 'enter'
  })
  return seen
}

const readText = (rel: string): string => {
  const file = root.openFile(rel)
  const text = Buffer.from(file.readAll(100)).toString()
  file.close()
  return text
}

const answers = {
  readUnreadable: tell(() => root.openFile('unreadable.txt')),
  readInUnsearchable: tell(() => root.openFile('names-only/f.txt')),
  readInUnlistable: tell(() => readText('search-only/f.txt')),
  resolveInUnsearchable: tell(() => root.resolve('names-only/f.txt')),
  listUnlistable: tell(() => root.list('search-only')),
  listClosed: tell(() => root.list('closed')),
  walkClosed: tell(() => walk('closed')),
  walkAll: tell(() => walk('')),
  create: tell(() => root.createExclusive('read-only/new.txt', 0o600)),
  mkdir: tell(() => root.mkdir('read-only/d', 0o755)),
  rename: tell(() => root.rename('read-only/f.txt', 'read-only/g.txt')),
  unlink: tell(() => root.unlink('read-only/f.txt')),
  isWritable: [root.isWritable('read-only'), root.isWritable('names-only'), root.isWritable('open')],
  closedRoot: tell(() => openRoot(`${root.path}/closed`).list('')),
}
process.stdout.write(JSON.stringify(answers))
