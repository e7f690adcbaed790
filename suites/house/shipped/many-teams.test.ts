// The files for several servers at one address: that for Kubernetes has the proxy of that for nginx, and flags that exist.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { completeOptions, planServers, readFlags } from '../../../dist/emulator/internal.js'
import { newIo } from '../../support/in-process.ts'
import { root } from '../../support/packed.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = join(root, 'recordings/examples/many-teams')
const nginx = readFileSync(join(folder, 'nginx.conf'), 'utf8')
const all = parseAllDocuments(readFileSync(join(folder, 'kubernetes.yaml'), 'utf8')).map(
  (one): any => one.toJS(),
)
const servers = all.find(({ kind }) => kind === 'StatefulSet')
const replicas: number = servers.spec.replicas

test('house/many-teams the proxy in the cluster is that of nginx.conf, at other addresses', () => {
  const { data } = all.find(({ kind }) => kind === 'ConfigMap')
  let expected = nginx.slice(nginx.indexOf('worker_rlimit')).replace('127.0.0.1:8188', '8188')
  for (let at = 0; at < replicas; at++)
    expected = expected.replace(`127.0.0.1:${8191 + at}`, `flowdouble-${at}:8188`)
  expect(data['nginx.conf']).toBe(expected)
  expect(expected).not.toContain('127.0.0.1')
})

test('house/many-teams each server has an address that stays, and the volume of its state', () => {
  const pods = all.flatMap(
    ({ kind, spec }) =>
      (kind === 'Service' && spec.selector['statefulset.kubernetes.io/pod-name']) || [],
  )
  expect(pods).toEqual(Array.from({ length: replicas }, (_, at) => `flowdouble-${at}`))
  const [{ volumeMounts, args }] = servers.spec.template.spec.containers
  expect(args.find((flag: string) => flag.startsWith('--state='))).toContain(
    volumeMounts[0].mountPath,
  )
  expect(volumeMounts[0].name).toBe(servers.spec.volumeClaimTemplates[0].metadata.name)
})

test('house/many-teams its servers start with flags that exist', () => {
  const [{ args, env, image }] = servers.spec.template.spec.containers
  expect(image).toBe(`ghcr.io/flowdouble/flowdouble:${version}`)
  expect(env[0].name).toBe('FLOWDOUBLE_CONTROL_TOKEN')
  const flags = readFlags([...args.slice(1), '--control-token=from-the-secret'])
  const [options] = planServers(flags, newIo().io)
  expect(completeOptions(options!)).toMatchObject({
    shared: true,
    state: '/state/worlds',
    publicUrl: expect.any(String),
  })
})
