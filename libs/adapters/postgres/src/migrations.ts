import { CreateProjectionPosition } from './migrations/0001-projection-position.js';
import { CreateReadModels } from './migrations/0002-read-models.js';
import { OrderRunsByTime } from './migrations/0003-runs-by-time.js';
import { PoisonStoredAt } from './migrations/0004-poison-stored-at.js';
import { LinkRuns } from './migrations/0005-run-links.js';
import { NameProjects } from './migrations/0006-projects.js';
import { OrderSteps } from './migrations/0007-steps-in-order.js';
import { AllowGraphEnded } from './migrations/0008-graph-ended.js';
import { AllowFollowUpDue } from './migrations/0009-follow-up-due.js';

/** In the order they are applied. A name is stored in the database: it never changes, nor does what it stands for. */
export const MIGRATIONS = [
  { name: '0001-projection-position', class: CreateProjectionPosition },
  { name: '0002-read-models', class: CreateReadModels },
  { name: '0003-runs-by-time', class: OrderRunsByTime },
  { name: '0004-poison-stored-at', class: PoisonStoredAt },
  { name: '0005-run-links', class: LinkRuns },
  { name: '0006-projects', class: NameProjects },
  { name: '0007-steps-in-order', class: OrderSteps },
  { name: '0008-graph-ended', class: AllowGraphEnded },
  { name: '0009-follow-up-due', class: AllowFollowUpDue },
];
