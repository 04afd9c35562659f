import { DatabaseSync } from 'node:sqlite'
import { watchSteps } from './world/steps.ts'

/** Runs something while no commit of a journal can be synced, and a reader keeps its log from being carried over instead. */
export async function withoutSyncs(database: string, body: () => Promise<void>): Promise<void> {
  const reader = new DatabaseSync(database)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM log').get()
  const broken = Object.assign(new Error('EIO'), { code: 'EIO', errno: -5 })
  try {
    await watchSteps(({ name }) => (name === 'fdatasyncSync' ? { error: broken } : null), body)
  } finally {
    reader.close()
  }
}
