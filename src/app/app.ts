import type { ApplyContext } from '../apply/apply-plan.js';
import type { Execution } from '../apply/execution.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Config } from '../config/config.js';
import type { Connector } from '../connectors/connector.js';
import type { SourceWriter } from '../connectors/source-writer.js';
import type { Mapper } from '../mapping/mapper.js';
import type { RefreshContext } from '../mirror/refresh.js';
import type { Entity } from '../model/entity.js';
import type { Json } from '../model/json.js';
import type { Observed } from '../model/observed.js';
import type { Pause } from '../model/pause.js';
import type { DerivedRun } from '../planning/derived-run.js';
import type { Earlier } from '../planning/holds/preview.js';
import type { PlanningTenant } from '../planning/reads/read-both-sides.js';
import type { SettlingTenant } from '../planning/reads/settle-sources.js';
import type { RememberingRun } from '../planning/remember-run.js';
import type { PlanKeeper } from '../planning/saved/save-plan.js';
import type { StageContext } from '../planning/staging/stage-sources.js';
import type { WriteBackPlanning } from '../planning/write-back/derive-write-back.js';
import type { TalentService } from '../service/talent-service.js';
import type { Stores } from '../store/open-stores.js';
import type { DeliveryContext } from '../writeback/reports/delivery-context.js';
import type { WriteBackContext } from '../writeback/write-back.js';

/** The current activity of a run, for observers. */
export type RunStage = 'finishing an earlier run' | 'reading' | 'planning' | 'applying' | 'writing back' | 'delivering';

/** Everything that the runs of one tenant use. `wire.ts` creates it; `close()` releases all of it in reverse order. */
export interface App {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Identifies who or what started the run: operator, command, process and machine. */
  readonly startedBy: string;
  readonly stores: Stores;
  readonly service: TalentService;
  readonly connectors: ReadonlyMap<string, Connector>;
  /** The streams that support write-back, each with a check that it works. */
  readonly writeBackProbes: ReadonlyMap<string, Pick<SourceWriter, 'probe'>>;
  readonly mappers: Readonly<Partial<Record<Entity, Mapper>>>;
  /** Midnight of the current day in the configured time zone. */
  readonly today: Date;
  /** True if a signal started the run, not its schedule. */
  readonly signalled: boolean;
  /** `--as-of`: the day that expressions use as today; null for the clock's day. */
  readonly asOf: string | null;
  readonly protectedBy: (user: Observed) => string | null;
  readonly refreshContext: RefreshContext;
  readonly stageContext: StageContext;
  /** The parts of the configuration that affect decisions, without secrets: stored with each successful run. */
  readonly deciding: Json;
  /** The configuration of the last successful run, if it is stored and differs from the current one. */
  earlier(): Earlier | null;
  /** The context for deriving write-backs. */
  readonly writeBackPlanning: WriteBackPlanning;
  /** The calls needed to write this many records back to a source. */
  callsToSource(source: string, records: number): Readonly<Record<string, number>>;
  writeBackContext(run: string): WriteBackContext;
  /** The context for finishing the intents of an earlier run. It resolves names at the time of each call. */
  resumption(run: string): Execution;
  /** The context for reading the names that `resumption` needs. */
  readonly resumingContext: RefreshContext;
  applyContext(run: string, derived: Pick<DerivedRun, 'contextOf' | 'usersFresh' | 'bulkLoad'>): ApplyContext;
  /** The context for delivering reports. */
  readonly deliveries: DeliveryContext;
  /** Marks the start of a run's work. */
  begin(run: string): void;
  /** Reports the new stage to observers. The debug log also gets the results of the previous stage. */
  enter(stage: RunStage, found?: object): void;
  /** The tenant's current pause; null if it may work. */
  paused(): Pause | null;
  /** @throws SyncError SYNC_PAUSED while the tenant is paused */
  requireUnpaused(): void;
  /** True if a signal has asked the run to end. */
  isStopped(): boolean;
  close(): Promise<void>;
}

/** Everything that all stages of a run share. */
type RunBasics = Pick<App, 'config' | 'stores' | 'clock' | 'logger' | 'enter'>;

/** The parts of an app that derive a plan. They read the sources and the service, but cannot write to them. */
export interface DerivingApp extends RunBasics, PlanningTenant {
  readonly earlier: App['earlier'];
  readonly writeBackPlanning: WriteBackPlanning;
}

/** The parts of an app that derive a plan, forecast its cost and save it. */
export interface PlanningApp extends DerivingApp, PlanKeeper {
  readonly refreshContext: RefreshContext;
  readonly deliveries: DeliveryContext;
  readonly requireUnpaused: App['requireUnpaused'];
}

/** The parts of an app that finish an earlier process's work. */
export interface ResumingApp extends RunBasics, Pick<App, 'resumption' | 'resumingContext' | 'writeBackContext'> {
  readonly refreshContext: Pick<RefreshContext, 'signal'>;
}

/** The parts of an app that apply a plan. Only this stage has a writer for the service. */
export interface ApplyingApp extends RunBasics, RememberingRun, SettlingTenant {
  readonly logger: Logger;
  readonly applyContext: App['applyContext'];
  readonly writeBackContext: App['writeBackContext'];
}
