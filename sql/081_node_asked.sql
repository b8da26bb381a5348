-- compatible: 58
-- Says whether balancers reach a machine of a cluster, so that the active one gives its role up for a machine that they do reach.
-- A program from before doesn't write it: such a machine counts as asked.

ALTER TABLE node ADD COLUMN asked BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'balancers have asked it for its role in the last seconds', ALGORITHM=INSTANT;
