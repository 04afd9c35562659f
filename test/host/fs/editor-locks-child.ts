import { join } from 'node:path'
import { findEditorLocks } from '../../../src/host/fs/editor-locks.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

becomeOrdinary()
const [folder = '', ...names] = process.argv.slice(2)
const found = findEditorLocks(names.map((name) => join(folder, name)))
process.stdout.write(JSON.stringify(found.flat().map(({ lock }) => lock)))
