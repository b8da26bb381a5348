# SPDX-License-Identifier: Apache-2.0
# The permission matrix (Vitrine::Matrix) of a workspace's pages.
use Vitrine::Matrix;

Vitrine::Matrix::matrix(page => 1, ws => 1);
