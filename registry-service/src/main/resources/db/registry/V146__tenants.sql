-- What a tenant may spend; of one without a row nothing is said.
CREATE TABLE tenants (
    name          text PRIMARY KEY,
    budget_limit  bigint,                       -- in US cents; null: none
    budget_period text NOT NULL CHECK (budget_period IN ('month', 'day', 'all'))
);

CREATE TRIGGER audit_made AFTER INSERT ON tenants FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('tenant', 'name', '', 'budget_limit budget_period');
CREATE TRIGGER audit_changed AFTER UPDATE ON tenants FOR EACH ROW
    WHEN ((OLD.budget_limit, OLD.budget_period) IS DISTINCT FROM (NEW.budget_limit, NEW.budget_period))
    EXECUTE FUNCTION log.audit_change('tenant', 'name', '', 'budget_limit budget_period');
