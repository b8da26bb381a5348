-- Stands in for what another branch brings.

DO 0;
