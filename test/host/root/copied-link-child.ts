import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { copyName } from '../../../src/host/root/move-name.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { becomeOrdinary } from '../../harness/ordinary-user.ts'

// Copies a link as an ordinary user, and prints whether the copy has its time: copied-link-child.ts FROM TO
becomeOrdinary()
const [from = '', to = ''] = process.argv.slice(2)
copyName({ root: openRoot(from), rel: 'link' }, { root: openRoot(to), rel: 'copy' })
const [source, copy] = [join(from, 'link'), join(to, 'copy')].map(
  (path) => lstatSync(path, { bigint: true }).mtimeNs,
)
process.stdout.write(JSON.stringify({ isExact: source === copy }))
