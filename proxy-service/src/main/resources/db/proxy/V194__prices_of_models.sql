-- Prices that the organization gave, before those of the table that comes along and of an operator's file.
CREATE TABLE model_prices (
    name  text PRIMARY KEY, -- provider:model
    price jsonb NOT NULL    -- as a price in the table of providers
);

-- Who gave them, see log.audit_change.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON model_prices FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('model_price', 'name', '', 'price');
CREATE TRIGGER audit_changed AFTER UPDATE ON model_prices FOR EACH ROW WHEN (OLD.price IS DISTINCT FROM NEW.price)
    EXECUTE FUNCTION log.audit_change('model_price', 'name', '', 'price');

-- Models that were used without a price: whoever has a price set is asked once for each, at the agent that was first with it.
CREATE TABLE unpriced_models (
    name         text PRIMARY KEY, -- provider:model
    workspace_id uuid NOT NULL,
    asked_at     timestamptz NOT NULL DEFAULT now()
);
