-- The book of a small ledger, in double entry: a transfer takes an amount from one account and gives it to another, so all
-- accounts of a currency add up to 0. The ledger runs this file at each start, as one transaction.
SELECT pg_advisory_xact_lock(hashtext('book of the small ledger'));

-- 'captured <payment>' is what the platform holds of a payment, 'in flight <payment>' what is on its way back to the
-- customer, and 'outside <currency>' everybody else: customers, banks, payment providers.
CREATE TABLE IF NOT EXISTS accounts (
  name text PRIMARY KEY,
  currency text NOT NULL CHECK (currency ~ '^[a-z]{3}$'),
  balance bigint NOT NULL DEFAULT 0,
  CONSTRAINT accounts_currency UNIQUE (name, currency),
  CONSTRAINT accounts_covered CHECK (balance >= 0 OR name = 'outside ' || currency)
);

CREATE TABLE IF NOT EXISTS transfers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  giver text NOT NULL,
  taker text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  -- The id of the payment or the refund.
  cause text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT transfers_giver FOREIGN KEY (giver, currency) REFERENCES accounts (name, currency),
  CONSTRAINT transfers_taker FOREIGN KEY (taker, currency) REFERENCES accounts (name, currency),
  CONSTRAINT transfers_amount CHECK (amount > 0),
  CONSTRAINT transfers_of_two CHECK (giver <> taker)
);

CREATE OR REPLACE FUNCTION post_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- In one order, so that two transfers between the same accounts do not wait for each other.
  PERFORM FROM accounts WHERE name IN (NEW.giver, NEW.taker) ORDER BY name FOR NO KEY UPDATE;
  UPDATE accounts SET balance = balance - NEW.amount WHERE name = NEW.giver;
  UPDATE accounts SET balance = balance + NEW.amount WHERE name = NEW.taker;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER transfers_are_posted AFTER INSERT ON transfers FOR EACH ROW EXECUTE FUNCTION post_transfer();

CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'A % of % is refused: what is in the book stays.', TG_OP, TG_TABLE_NAME;
END $$;
CREATE OR REPLACE TRIGGER transfers_stay BEFORE UPDATE OR DELETE ON transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE IF NOT EXISTS payments (
  id text PRIMARY KEY,
  currency text NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT payments_currency UNIQUE (id, currency)
);
CREATE OR REPLACE TRIGGER payments_stay BEFORE UPDATE OR DELETE ON payments
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE FUNCTION capture() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO accounts (name, currency)
    VALUES ('outside ' || NEW.currency, NEW.currency),
           ('captured ' || NEW.id, NEW.currency),
           ('in flight ' || NEW.id, NEW.currency)
    ON CONFLICT (name) DO NOTHING;
  INSERT INTO transfers (giver, taker, currency, amount, cause)
    VALUES ('outside ' || NEW.currency, 'captured ' || NEW.id, NEW.currency, NEW.amount, NEW.id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER payments_are_captured AFTER INSERT ON payments FOR EACH ROW EXECUTE FUNCTION capture();

CREATE TABLE IF NOT EXISTS refunds (
  id text PRIMARY KEY,
  payment text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL,
  status text NOT NULL DEFAULT 'in_flight',
  -- The number of the last claim under which somebody worked on it.
  claim integer NOT NULL,
  provider_reference text,
  reason text,
  CONSTRAINT refunds_payment FOREIGN KEY (payment, currency) REFERENCES payments (id, currency),
  CONSTRAINT refunds_status CHECK (status IN ('in_flight', 'paid', 'refused', 'postponed', 'returned')),
  CONSTRAINT refunds_paid CHECK (status NOT IN ('paid', 'returned') OR provider_reference IS NOT NULL)
);

CREATE OR REPLACE FUNCTION place_of(refund refunds) RETURNS text LANGUAGE sql IMMUTABLE RETURN
  CASE refund.status
    WHEN 'in_flight' THEN 'in flight ' || refund.payment
    WHEN 'paid' THEN 'outside ' || refund.currency
    ELSE 'captured ' || refund.payment
  END;

-- A refund and its money change in one step.
CREATE OR REPLACE FUNCTION move_refund() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  giver text := 'captured ' || NEW.payment;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (OLD.status, NEW.status) NOT IN (('in_flight', 'paid'), ('in_flight', 'refused'), ('in_flight', 'postponed'),
        ('in_flight', 'returned'), ('postponed', 'in_flight'), ('paid', 'returned'), ('paid', 'refused')) THEN
      RAISE EXCEPTION 'Refund % is %, and cannot become %.', NEW.id, OLD.status, NEW.status;
    END IF;
    giver := place_of(OLD);
  END IF;
  INSERT INTO transfers (giver, taker, currency, amount, cause)
    VALUES (giver, place_of(NEW), NEW.currency, NEW.amount, NEW.id);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER refunds_are_begun AFTER INSERT ON refunds FOR EACH ROW EXECUTE FUNCTION move_refund();
CREATE OR REPLACE TRIGGER refunds_are_moved AFTER UPDATE ON refunds FOR EACH ROW
  WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION move_refund();
CREATE OR REPLACE TRIGGER refunds_stay BEFORE DELETE OR UPDATE OF id, payment, currency, amount ON refunds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Accounts whose balance is not what their transfers say. It is empty unless somebody wrote to accounts by hand.
CREATE OR REPLACE VIEW imbalances AS
  WITH changes (name, change) AS (
    SELECT taker, amount FROM transfers UNION ALL SELECT giver, -amount FROM transfers
  )
  SELECT name, balance, coalesce(sum(change), 0) AS expected
  FROM accounts LEFT JOIN changes USING (name)
  GROUP BY name
  HAVING balance <> coalesce(sum(change), 0);
