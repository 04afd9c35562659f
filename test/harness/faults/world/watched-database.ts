import sqlite from 'node:sqlite'
import { asOneStep, describe, reach, reachFinely } from './watching.ts'
import type { AnyFunction } from './watching.ts'

const { DatabaseSync, StatementSync } = sqlite
const sqlOf = new WeakMap<object, string>()

/** Makes a step of everything that is asked of a database; in a view of effects, of what begins and ends a transaction. */
export function wrapDatabase(): void {
  const { exec, prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    if (/BEGIN|COMMIT|CREATE|INSERT/.test(sql)) reach('exec', sql.slice(0, 60))
    else if (!sql.startsWith('ROLLBACK')) reachFinely('exec', sql.slice(0, 60))
    return asOneStep(() => exec.call(this, sql))
  }
  DatabaseSync.prototype.prepare = function (...args) {
    const statement = prepare.apply(this, args)
    sqlOf.set(statement, args[0])
    return statement
  }
  const statements = StatementSync.prototype as unknown as Record<string, AnyFunction>
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const original = statements[name]
    if (original === undefined) throw new Error(`a statement has no ${name}`)
    statements[name] = function (this: unknown, ...args: unknown[]) {
      const sql = sqlOf.get(this as object) ?? ''
      if (name === 'run' && /^(BEGIN|COMMIT)/.test(sql)) reach('run', sql)
      // Taking a transaction back needs nothing of the disk.
      else if (!sql.startsWith('ROLLBACK')) reachFinely(name, sql.slice(0, 60))
      return asOneStep(() => original.apply(this, args))
    }
  }
  wrapOpening()
}

/** Opening a database opens its file. */
function wrapOpening(): void {
  const Plain = DatabaseSync
  class SteppedDatabase extends Plain {
    constructor(...args: ConstructorParameters<typeof DatabaseSync>) {
      reachFinely('open database', describe(args))
      super(...args)
    }
  }
  Object.assign(sqlite, { DatabaseSync: SteppedDatabase })
}
