import { noteKnownPlaces } from '../../../src/host/layer/layer-places.ts'

/** Notes twenty places, one at a time, once its input ends. */
const [stateDir = '', name = ''] = process.argv.slice(2)
process.stdout.write('ready')
process.stdin.resume().on('end', () => {
  for (let at = 0; at < 20; at++) noteKnownPlaces(stateDir, [`/${name}/${at}`])
})
