import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Keys have holders, operators have keys, and restricted keys have rights; organizations decide which refunds wait for
 * approval and how long details are kept. A key without a holder, such as the version before makes, is held by its own id.
 */
export class KeyHolders1763700000044 implements MigrationInterface {
  readonly name = 'KeyHolders1763700000044';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    // One change a statement, because Citus adds no constraint together with something else.
    await alter(runner, 'api_keys', [
      'ADD COLUMN holder text',
      `ADD COLUMN rights text[] NOT NULL DEFAULT '{}'`,
      'ADD COLUMN last_used_at timestamptz',
      'ALTER COLUMN mode DROP NOT NULL',
      'DROP CONSTRAINT api_keys_kind',
      'DROP CONSTRAINT api_keys_owner',
      `ADD CONSTRAINT api_keys_kind CHECK (kind IN ('secret', 'restricted', 'ledger', 'operator'))`,
      `ADD CONSTRAINT api_keys_owner CHECK ((kind IN ('secret', 'restricted')) = (organization_id IS NOT NULL))`,
      `ADD CONSTRAINT api_keys_operator_mode CHECK ((kind = 'operator') = (mode IS NULL))`,
      `ADD CONSTRAINT api_keys_operator_origins CHECK (kind <> 'operator' OR allowed_origins = '{}')`,
      'ADD CONSTRAINT api_keys_holder_length CHECK (char_length(holder) BETWEEN 1 AND 100)',
      `ADD CONSTRAINT api_keys_rights CHECK (rights <@ ARRAY['sessions', 'propose', 'approve']
        AND (kind = 'restricted' OR rights = '{}'))`,
    ]);
    await alter(runner, 'organizations', [
      `ADD COLUMN refund_approval text NOT NULL DEFAULT 'keys'`,
      'ADD COLUMN details_retention_days integer',
      `ADD CONSTRAINT organizations_refund_approval CHECK (refund_approval IN ('keys', 'all'))`,
      'ADD CONSTRAINT organizations_details_retention_days CHECK (details_retention_days BETWEEN 1 AND 3650)',
    ]);
  }

  /** The version before knows neither operator nor restricted keys: they are removed. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL lock_timeout = '2s'`);
    await runner.query(`DELETE FROM api_keys WHERE kind IN ('restricted', 'operator')`);
    await alter(runner, 'organizations', [
      'DROP COLUMN refund_approval',
      'DROP COLUMN details_retention_days',
    ]);
    await alter(runner, 'api_keys', [
      'DROP CONSTRAINT api_keys_kind',
      'DROP CONSTRAINT api_keys_owner',
      'DROP CONSTRAINT api_keys_operator_mode',
      'DROP CONSTRAINT api_keys_operator_origins',
      'DROP COLUMN holder',
      'DROP COLUMN rights',
      'DROP COLUMN last_used_at',
      'ALTER COLUMN mode SET NOT NULL',
      `ADD CONSTRAINT api_keys_kind CHECK (kind IN ('secret', 'ledger'))`,
      `ADD CONSTRAINT api_keys_owner CHECK ((kind = 'secret') = (organization_id IS NOT NULL))`,
    ]);
  }
}

async function alter(
  runner: QueryRunner,
  table: string,
  changes: readonly string[],
): Promise<void> {
  for (const change of changes) await runner.query(`ALTER TABLE ${table} ${change}`);
}
