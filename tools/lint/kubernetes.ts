/** These rules are about docker/kubernetes.yaml. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { assertPrograms, assertSettings } from './settings.js';

const TEXT = readFileSync('docker/kubernetes.yaml', 'utf8');
const DOCUMENTS = parseAllDocuments(TEXT).map((document) => document.toJS());
const PODS = DOCUMENTS.filter(({ spec }) => spec.template).map(({ spec }) => spec.template.spec);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

type Pod = (typeof PODS)[number];

function selectors(): void {
  const kinds = ['Job', 'Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'];
  assert.deepEqual(
    DOCUMENTS.map(({ kind }) => kind),
    kinds,
  );
  const [, deployment, service, budget, policy] = DOCUMENTS;
  const { labels } = deployment.spec.template.metadata;
  const own = [deployment.spec.selector, budget.spec.selector, policy.spec.podSelector];
  for (const { matchLabels } of own) assert.deepEqual(matchLabels, labels);
  assert.deepEqual(service.spec.selector, labels);
}

function mountsOf({ volumes, containers: [{ volumeMounts }] }: Pod): string[][] {
  return volumeMounts.map(({ name, mountPath }: Record<string, string>) => {
    const { secret } = volumes.find((volume: { name: string }) => volume.name === name);
    return [secret.secretName, mountPath];
  });
}

const databaseFileOf = ({ containers: [{ env }] }: Pod): string =>
  env.find(({ name }: { name: string }) => name === 'DATABASE_URL_FILE').value;

function secrets(): void {
  const [job, deployment] = PODS;
  const ofService = ['tillgate', '/run/secrets/tillgate'];
  const ofOwner = ['tillgate-owner', '/run/secrets/tillgate-owner'];
  assert.deepEqual(mountsOf(deployment), [ofService]);
  assert.deepEqual(mountsOf(job), [ofService, ofOwner]);
  assert.equal(databaseFileOf(job), '/run/secrets/tillgate-owner/database_url');
  assert.equal(databaseFileOf(deployment), '/run/secrets/tillgate/database_url');
  const { command } = job.containers[0];
  assert.deepEqual(command.slice(-3), ['migrate', '--service-role', 'tillgate']);
}

function containers(): void {
  for (const { securityContext, containers } of PODS) {
    assert.equal(securityContext.runAsNonRoot, true);
    assert.equal(securityContext.runAsUser, 1000);
    for (const { image, resources, securityContext, command, env = [] } of containers) {
      assert.equal(image, `tillgate:${version}`);
      assert.deepEqual(resources.limits, { memory: '512Mi' });
      assert.deepEqual(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assertPrograms(command);
      const named = env.map(({ name, value }: Record<string, string>) => [name, value]);
      assertSettings(Object.fromEntries(named));
    }
  }
}

function commentedSettings(): void {
  const names = [...TEXT.matchAll(/\b([A-Z_]+)=…/g)].map(([, name]) => `${name}`);
  assert(names.includes('METRICS_TOKEN'));
  const reference = readFileSync('docs/reference/settings.md', 'utf8');
  assert.deepEqual(
    names.filter((name) => !reference.includes(`| \`${name}\` `)),
    [],
  );
}

export const KUBERNETES_RULES: Readonly<Record<string, () => void>> = {
  'kubernetes.yaml has a job that migrates, and a deployment that all others select': selectors,
  'kubernetes.yaml gives the owner of the tables to the job only': secrets,
  'kubernetes.yaml runs this version, as an ordinary user who cannot write': containers,
  'kubernetes.yaml names existing settings in the secret of its comments': commentedSettings,
  'kubernetes.yaml names the job by the version': () =>
    assert.equal(DOCUMENTS[0].metadata.name, `tillgate-migrate-${version}`),
};
