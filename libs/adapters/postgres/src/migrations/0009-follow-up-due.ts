import { KINDS_WITH_GRAPH_ENDED } from './0008-graph-ended.js';
import { AllowTrailKind } from './trail-kinds.js';

/** One kind more: the end of a run concerns other runs. */
export class AllowFollowUpDue extends AllowTrailKind {
  protected readonly before = KINDS_WITH_GRAPH_ENDED;
  protected readonly after = KINDS_WITH_GRAPH_ENDED.flatMap((kind) =>
    kind === 'RunFinished' ? ['FollowUpDue', kind] : [kind],
  );
}
