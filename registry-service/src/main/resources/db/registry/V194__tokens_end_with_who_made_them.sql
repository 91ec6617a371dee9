-- Who made it by a role for branches or tenants only: it ends when that person may act there no more. No reference: it is read while the person goes.
ALTER TABLE workspace_tokens ADD COLUMN made_by uuid;
CREATE INDEX workspace_tokens_made_by ON workspace_tokens (made_by) WHERE made_by IS NOT NULL AND revoked_at IS NULL;
