import { findRoot } from '../../../src/host/fs/folders.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

becomeOrdinary()
process.stdout.write(JSON.stringify(process.argv.slice(2).map((folder) => findRoot(folder))))
