import type { Sqlite } from '../../host/db/sqlite.ts'

/** Something in the database's schema that this program did not put there, or that it misses; the words are a clause. */
export interface SchemaFault {
  readonly type: string
  readonly name: string
  readonly is: 'unknown' | 'changed' | 'missing'
}

/** Objects of a schema by name. */
export type Objects = ReadonlyMap<string, { readonly type: string; readonly sql: string }>

/** The objects that migrations create, as SQLite records them. */
export function expectedObjects(migrations: readonly string[]): Objects {
  const objects = new Map<string, { readonly type: string; readonly sql: string }>()
  for (const statement of migrations.flatMap((script) => script.split(';'))) {
    const sql = statement.trim()
    const [, verb, type = '', name = ''] = /^(CREATE|DROP) (TABLE|INDEX) (\w+)/.exec(sql) ?? []
    if (verb === 'CREATE') objects.set(name, { type: type.toLowerCase(), sql })
    if (verb === 'DROP') objects.delete(name)
  }
  return objects
}

/**
 * Compares the schema with the one that these migrations make. A trigger or a view that another program planted would
 * run with every write of ours, so nothing may be there that is not ours.
 */
export function findSchemaFaults(sqlite: Sqlite, migrations: readonly string[]): readonly SchemaFault[] {
  const expected = expectedObjects(migrations)
  const missing = new Map(expected)
  const faults: SchemaFault[] = []
  for (const row of sqlite.statement('SELECT type, name, tbl_name, sql FROM sqlite_schema').all()) {
    const [type, name, table] = [String(row['type']), String(row['name']), String(row['tbl_name'])]
    missing.delete(name)
    // The index behind a UNIQUE constraint has no text of its own; its table's text implies it.
    const isImplied = row['sql'] === null && type === 'index' && expected.has(table)
    if (isImplied && name.startsWith('sqlite_autoindex_')) continue
    const known = expected.get(name)
    if (known === undefined) faults.push({ type, name, is: 'unknown' })
    else if (known.type !== type || known.sql !== row['sql']) faults.push({ type, name, is: 'changed' })
  }
  for (const [name, { type }] of missing) faults.push({ type, name, is: 'missing' })
  return faults
}

/** What is wrong with the schema, as a clause about the database. */
export function describeSchemaFault({ type, name, is }: SchemaFault): string {
  const what = `${type} ${JSON.stringify(name)}`
  if (is === 'missing') return `its ${what} is missing`
  return is === 'unknown' ? `it has a ${what} that Tongs did not create` : `its ${what} was changed`
}
