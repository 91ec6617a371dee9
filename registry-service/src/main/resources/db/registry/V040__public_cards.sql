-- Whose card anybody may read: an operator says so, in production nobody else's is shown to strangers.
ALTER TABLE workspaces ADD COLUMN public_card boolean NOT NULL DEFAULT false;
