import { counter } from '../../../../platform/metric.js';
import { MODES } from '../../../../shared/caller.js';

export const RECORDED = counter({
  name: 'tillgate_events_total',
  help: 'Recorded events, by type.',
  labels: { mode: MODES, type: ({ eventTypes }) => eventTypes },
});
