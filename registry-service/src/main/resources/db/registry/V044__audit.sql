-- What is worth a record of who did it, see log.audit_change. Never a value of a secret, and of a token only what lists show. A depth of 0
-- leaves out what goes with a workspace that is purged, which is told itself.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON workspaces FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('workspace', 'id', 'id', 'name role parent_id tier runtime managed admitted workspace_dir budget_limit');
CREATE TRIGGER audit_changed
    AFTER UPDATE OF name, role, parent_id, tier, runtime, model, workspace_dir, workspace_access, budget_limit, max_concurrent_tasks, desired,
        incarnation, admitted, quarantined, team_limit, team_period, public_card ON workspaces
    FOR EACH ROW
    WHEN ((OLD.name, OLD.role, OLD.parent_id, OLD.tier, OLD.runtime, OLD.model, OLD.workspace_dir, OLD.workspace_access, OLD.budget_limit,
            OLD.max_concurrent_tasks, OLD.desired, OLD.incarnation, OLD.admitted, OLD.quarantined, OLD.team_limit, OLD.team_period,
            OLD.public_card)
        IS DISTINCT FROM (NEW.name, NEW.role, NEW.parent_id, NEW.tier, NEW.runtime, NEW.model, NEW.workspace_dir, NEW.workspace_access,
            NEW.budget_limit, NEW.max_concurrent_tasks, NEW.desired, NEW.incarnation, NEW.admitted, NEW.quarantined, NEW.team_limit,
            NEW.team_period, NEW.public_card))
    EXECUTE FUNCTION log.audit_change('workspace', 'id', 'id',
        'name role parent_id tier runtime model workspace_dir workspace_access budget_limit max_concurrent_tasks desired incarnation admitted quarantined team_limit team_period public_card',
        'desired=removed:removed', 'quarantined=true:quarantined', 'quarantined=false:released', 'admitted=true:admitted',
        'desired=paused:paused', 'desired=running:resumed', 'parent_id:moved', 'incarnation:restarted', 'budget_limit:limited',
        'team_limit:limited', 'team_period:limited');

CREATE TRIGGER audit_made AFTER INSERT ON workspace_tokens FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('token', 'id', 'workspace_id', 'prefix incarnation bootstrapped expires_at');
CREATE TRIGGER audit_changed AFTER UPDATE OF revoked_at, expires_at ON workspace_tokens FOR EACH ROW
    WHEN ((OLD.revoked_at, OLD.expires_at) IS DISTINCT FROM (NEW.revoked_at, NEW.expires_at))
    EXECUTE FUNCTION log.audit_change('token', 'id', 'workspace_id', 'expires_at', 'revoked_at:revoked');

CREATE TRIGGER audit_made AFTER INSERT ON org_tokens FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('org_token', 'id', '', 'prefix name');
CREATE TRIGGER audit_changed AFTER UPDATE OF revoked_at ON org_tokens FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at)
    EXECUTE FUNCTION log.audit_change('org_token', 'id', '', 'prefix', 'revoked_at:revoked');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON workspace_secrets FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('secret', 'key', 'workspace_id', 'key_id');
CREATE TRIGGER audit_changed AFTER UPDATE OF updated_at, key_id ON workspace_secrets FOR EACH ROW
    WHEN ((OLD.updated_at, OLD.key_id) IS DISTINCT FROM (NEW.updated_at, NEW.key_id))
    EXECUTE FUNCTION log.audit_change('secret', 'key', 'workspace_id', 'key_id', 'updated_at:changed', 'key_id:rotated');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON global_secrets FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('global_secret', 'key', '', 'key_id granted_to');
CREATE TRIGGER audit_changed AFTER UPDATE OF updated_at, key_id, granted_to ON global_secrets FOR EACH ROW
    WHEN ((OLD.updated_at, OLD.key_id, OLD.granted_to) IS DISTINCT FROM (NEW.updated_at, NEW.key_id, NEW.granted_to))
    EXECUTE FUNCTION log.audit_change('global_secret', 'key', '', 'key_id granted_to', 'granted_to:granted', 'updated_at:changed',
        'key_id:rotated');

CREATE TRIGGER audit_made AFTER INSERT ON approvals FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('approval', 'id', 'workspace_id', 'action task_id');
CREATE TRIGGER audit_changed AFTER UPDATE OF status, decision ON approvals FOR EACH ROW
    WHEN ((OLD.status, OLD.decision) IS DISTINCT FROM (NEW.status, NEW.decision))
    EXECUTE FUNCTION log.audit_change('approval', 'id', 'workspace_id', 'decision decided_by decided_with takes_effect_at',
        'status=approved:approved', 'status=denied:denied', 'decision=approved:decided', 'decision=denied:decided', 'decision:retracted');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON invitations FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('invitation', 'id', 'parent_id', 'prefix name role tier expires_at');
CREATE TRIGGER audit_changed AFTER UPDATE OF expires_at ON invitations FOR EACH ROW WHEN (OLD.expires_at IS DISTINCT FROM NEW.expires_at)
    EXECUTE FUNCTION log.audit_change('invitation', 'id', 'parent_id', 'expires_at');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON workspace_configs FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('config', 'workspace_id', 'workspace_id', '');
CREATE TRIGGER audit_changed AFTER UPDATE OF data ON workspace_configs FOR EACH ROW WHEN (OLD.data IS DISTINCT FROM NEW.data)
    EXECUTE FUNCTION log.audit_change('config', 'workspace_id', 'workspace_id', '');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON settings_files FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('file', 'path', 'workspace_id', '');
CREATE TRIGGER audit_changed AFTER UPDATE OF content ON settings_files FOR EACH ROW WHEN (OLD.content IS DISTINCT FROM NEW.content)
    EXECUTE FUNCTION log.audit_change('file', 'path', 'workspace_id', '');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON sessions FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('session', 'token_hash', '', 'expires_at');
