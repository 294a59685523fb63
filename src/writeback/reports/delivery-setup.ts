import type { TalentService } from '../../service/talent-service.js';
import type { DeliverySetup } from './deliver-one.js';

interface DeliverySetupParts extends Omit<DeliverySetup, 'tools'>, Omit<DeliverySetup['tools'], 'reader' | 'mayCall'> {
  readonly service: Pick<TalentService, 'reader' | 'calls'>;
  /** Calls that a run may send at most; null for no limit. It holds for reports as for changes. */
  readonly callBudget: number | null;
}

/** What the runs of one tenant deliver with. */
export function buildDeliverySetup({
  service,
  callBudget,
  spools,
  openStore,
  ...tools
}: DeliverySetupParts): DeliverySetup {
  const mayCall = (): boolean => {
    const { reads, writes } = service.calls;
    return callBudget === null || reads.total + writes.total < callBudget;
  };
  return { tools: { reader: service.reader, mayCall, ...tools }, spools, openStore };
}
