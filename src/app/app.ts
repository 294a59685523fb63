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

/** What a run is doing, for those who look on. */
export type RunStage = 'finishing an earlier run' | 'reading' | 'planning' | 'applying' | 'writing back' | 'delivering';

/** Everything one tenant's runs work with. Made by `wire.ts`; `close()` releases all of it in reverse order. */
export interface App {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Who and what started it: operator, command, process and machine. */
  readonly startedBy: string;
  readonly stores: Stores;
  readonly service: TalentService;
  readonly connectors: ReadonlyMap<string, Connector>;
  /** Of the streams that may be written back to: whether they could be. */
  readonly writeBackProbes: ReadonlyMap<string, Pick<SourceWriter, 'probe'>>;
  readonly mappers: Readonly<Partial<Record<Entity, Mapper>>>;
  /** Midnight of the run's day in the configured zone. */
  readonly today: Date;
  /** True when a signal started the run, not its schedule. */
  readonly signalled: boolean;
  /** `--as-of`: the day that expressions see as today; null for the clock's. */
  readonly asOf: string | null;
  readonly protectedBy: (user: Observed) => string | null;
  readonly refreshContext: RefreshContext;
  readonly stageContext: StageContext;
  /** What decides in this configuration, without secrets: kept with each run that goes through. */
  readonly deciding: Json;
  /** The configuration of the last run that went through, where it is another one and is remembered. */
  earlier(): Earlier | null;
  /** What write-back is derived with. */
  readonly writeBackPlanning: WriteBackPlanning;
  /** What it costs to tell a source so many records. */
  callsToSource(source: string, records: number): Readonly<Record<string, number>>;
  writeBackContext(run: string): WriteBackContext;
  /** What finishing the intents of an earlier run works with, with the names as they resolve now. */
  resumption(run: string): Execution;
  /** What their names are read with. */
  readonly resumingContext: RefreshContext;
  applyContext(run: string, derived: Pick<DerivedRun, 'contextOf' | 'usersFresh' | 'bulkLoad'>): ApplyContext;
  /** What delivering reports works with. */
  readonly deliveries: DeliveryContext;
  /** From now on it is a run that works. */
  begin(run: string): void;
  /** Tells those who look on what is done from now on; at debug also what the stage before has found. */
  enter(stage: RunStage, found?: object): void;
  /** The pause of the tenant as of now; null where it may work. */
  paused(): Pause | null;
  /** @throws SyncError SYNC_PAUSED during a pause of the tenant */
  requireUnpaused(): void;
  /** Whether a signal has asked the run to end. */
  isStopped(): boolean;
  close(): Promise<void>;
}

/** Every stage of a run gets these: the tenant's settings and stores, the time, the log, and a way to say what it does. */
type RunBasics = Pick<App, 'config' | 'stores' | 'clock' | 'logger' | 'enter'>;

/** Deriving: sources and service to read, and nothing that could write. */
export interface DerivingApp extends RunBasics, PlanningTenant {
  readonly earlier: App['earlier'];
  readonly writeBackPlanning: WriteBackPlanning;
}

/** Planning: a derivation that is priced and saved. */
export interface PlanningApp extends DerivingApp, PlanKeeper {
  readonly refreshContext: RefreshContext;
  readonly deliveries: DeliveryContext;
  readonly requireUnpaused: App['requireUnpaused'];
}

/** Finishing what an earlier process left. */
export interface ResumingApp extends RunBasics, Pick<App, 'resumption' | 'resumingContext' | 'writeBackContext'> {
  readonly refreshContext: Pick<RefreshContext, 'signal'>;
}

/** Applying: the only stage that is given a writer of the service. */
export interface ApplyingApp extends RunBasics, RememberingRun, SettlingTenant {
  readonly logger: Logger;
  readonly applyContext: App['applyContext'];
  readonly writeBackContext: App['writeBackContext'];
}
